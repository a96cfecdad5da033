/** The style sheet of the review page. Both schemes keep text at 4.5:1 or better on every ground used here. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f5f6f8; --line: #c9ced6; --text: #1b1f24; --quiet: #4d5560; --link: #0b57a4;
  --breaking: #a1161f; --risky: #7a4b00; --unknown: #6b2f9e; --notice: #0b5a76; --safe: #1c6634;
  --gone: #ffe9e9; --new: #e3f6e6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171b; --raised: #1d2126; --line: #424a54; --text: #e8eaed; --quiet: #b0b8c2; --link: #8cc2ff;
    --breaking: #ff9a9a; --risky: #f2c14e; --unknown: #d3aaff; --notice: #86d3ef; --safe: #8fd8a4;
    --gone: #451f22; --new: #17391f;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main, nav, footer { max-width: 68rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 1.5rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 2.25rem 0 .75rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
h3 { font-size: 1rem; margin: 0; display: inline; }
p, ul, dl, table { margin: .5rem 0; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
code, pre { font-family: ui-monospace, SFMono-Regular, Consolas, monospace; font-size: .875em; }
pre { white-space: pre-wrap; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .75rem; margin: .5rem 0; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: .5rem; background: var(--ground); padding: .25rem .5rem; }
.outcome { font-weight: 600; border-left: .4rem solid var(--safe); padding: .4rem .75rem; background: var(--raised); }
.outcome.failed { border-color: var(--breaking); }
.counts { display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; list-style: none; }
.counts li { border: 1px solid var(--line); border-radius: 999px; padding: .1rem .75rem; }
.tag { font-weight: 600; white-space: nowrap; }
.breaking { color: var(--breaking); } .risky { color: var(--risky); } .unknown { color: var(--unknown); }
.notice { color: var(--notice); } .safe { color: var(--safe); } .quiet { color: var(--quiet); }
details { border: 1px solid var(--line); border-radius: 6px; margin: .6rem 0; background: var(--ground); }
summary { cursor: pointer; padding: .55rem .75rem; background: var(--raised); border-radius: 6px; }
details > .inside { padding: .25rem .75rem .75rem; }
dl { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: .25rem .75rem; }
dt { color: var(--quiet); } dd { margin: 0; min-width: 0; }
.diff { padding: .4rem 0; }
.diff span { display: block; padding: 0 .75rem; }
.diff .gone { background: var(--gone); color: var(--text); } .diff .new { background: var(--new); color: var(--text); }
.diff .cut { color: var(--quiet); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); }
th, td { text-align: left; padding: .3rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; white-space: nowrap; }
nav ul { padding-left: 1.1rem; }
footer { padding: 2rem 1rem 3rem; color: var(--quiet); }
@media (max-width: 40rem) {
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: .5rem; }
  table { table-layout: fixed; } th, td { padding: .3rem .25rem; }
}
@media print { details { break-inside: avoid; } .skip, nav { display: none; } }
`;
