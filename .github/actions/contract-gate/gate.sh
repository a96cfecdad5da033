#!/usr/bin/env bash
# One comparison, every report. Ends with the code of `mcp-contract diff`: 0 passed, 1 refused, 2 bad input, 3 a fault.
set -uo pipefail

read -r -a contract <<<"${GATE_COMMAND:-npx --yes --package=overmind-mcp mcp-contract}"
reports="${GATE_REPORTS:-contract-gate}"
base="${GATE_BASE:-}"
head="${GATE_HEAD:-}"

say_error() { # a message of our own; what it quotes must not become a command
  local text="$1"
  text="${text//'%'/%25}"
  text="${text//$'\r'/%0D}"
  text="${text//$'\n'/%0A}"
  printf '::error title=Contract gate::%s\n' "$text"
}

if [ -n "$head" ] && [ -z "$base" ]; then
  say_error 'head is given without a base.'
  exit 2
fi
range="$base"
if [ -n "$head" ]; then range="$base..$head"; fi

mkdir -p "$reports" || exit 2
json="$reports/contract-gate.json"
rm -f "$json"
arguments=(diff --schemas "${GATE_SCHEMAS:-schemas}" --fail-on "${GATE_FAIL_ON:-breaking}" --rules "${GATE_RULES:-agent}"
  --format json --output "$json")
if [ -n "$range" ]; then arguments+=("$range"); fi

words="$("${contract[@]}" "${arguments[@]}" 2>&1)"
code=$?
if [ "$code" -gt 1 ] || [ ! -s "$json" ]; then
  say_error "$words"
  if [ -n "$base" ]; then
    echo 'If the base is missing here, check out with fetch-depth: 0, or compare with a released snapshot.' >&2
  fi
  [ "$code" -gt 1 ] && exit "$code"
  exit 3
fi

render() { "${contract[@]}" report "$json" --root "${GATE_SCHEMAS:-schemas}" "$@"; }
render --all "$reports" || exit 3

# The text of a report repeats words of the contract, so commands are off while it is printed.
token="gate-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
echo "::stop-commands::$token"
render --format text
echo "::$token::"
render --format github || exit 3

if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$reports/contract-gate.md" >>"$GITHUB_STEP_SUMMARY"; fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  breaking="$(node -e 'process.stdout.write(String(JSON.parse(require("fs").readFileSync(process.argv[1],"utf8")).counts.breaking))' "$json")"
  {
    if [ "$code" -eq 0 ]; then echo 'verdict=passed'; else echo 'verdict=refused'; fi
    echo "breaking=$breaking"
    echo "sarif=$reports/contract-gate.sarif"
    echo "page=$reports/contract-gate.html"
  } >>"$GITHUB_OUTPUT"
fi
exit "$code"
