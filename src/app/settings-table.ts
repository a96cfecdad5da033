import type { Environment } from './config.ts';
import { SETTINGS } from './settings.ts';
import type { Setting } from './settings.ts';

export interface SettingLine {
  readonly name: string;
  readonly group: string;
  readonly default: string;
  readonly meaning: string;
  readonly example: string;
  /** What this process would use; `(set)` for a secret. */
  readonly value: string;
}

/** The settings as an operator reads them, in the order of the table. */
export function settingLines(environment: Environment): readonly SettingLine[] {
  const settings: readonly Setting<unknown>[] = Object.values(SETTINGS);
  return settings.map((setting) => ({
    name: setting.name,
    group: setting.group,
    default: setting.default === undefined || setting.default === '' ? '(none)' : setting.default,
    meaning: setting.meaning,
    example: setting.example,
    value: shown(setting, environment[setting.name]?.trim()),
  }));
}

/** For the end of `--help`. */
export function settingsHelp(): string {
  const lines = ['Settings, read from the environment:', ''];
  let group = '';
  for (const line of settingLines({})) {
    if (line.group !== group) lines.push(`  ${line.group}`);
    group = line.group;
    lines.push(`    ${line.name} (default ${line.default})`, `      ${line.meaning}`);
  }
  return lines.join('\n');
}

/** For the documentation. */
export function settingsMarkdown(): string {
  const rows = settingLines({}).map(
    (line) =>
      `| \`${line.name}\` | ${line.default === '(none)' ? '–' : `\`${cell(line.default)}\``} | ${cell(line.meaning)} | \`${cell(line.example)}\` |`,
  );
  return ['| Setting | Default | Meaning | Example |', '|---|---|---|---|', ...rows].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function shown(setting: Setting<unknown>, given: string | undefined): string {
  if (given === undefined || given === '') return setting.default ?? '';
  return setting.secret ? '(set)' : given;
}
