import { SETTINGS } from './settings.ts';
import type { Setting } from './settings.ts';

type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** Every setting, validated and frozen. Made once per process by `loadConfig`. */
export type Config = { readonly [K in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[K]> };

export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting that cannot be used; the message names it, what was expected, and a value that works. */
export interface SettingFault {
  readonly name: string;
  readonly message: string;
}

export class ConfigError extends Error {
  readonly faults: readonly SettingFault[];

  constructor(faults: readonly SettingFault[]) {
    super(faults.map((fault) => fault.message).join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** What the process was started with; nothing else in here reads it. */
export function currentEnvironment(): Environment {
  return process.env;
}

/** Reads all settings at once, so that an operator sees every fault in one run. */
export function loadConfig(environment: Environment = currentEnvironment()): Config {
  const faults: SettingFault[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(SETTINGS)) {
    const parsed = setting.parse(rawValue(setting, environment));
    if ('value' in parsed) values[key] = parsed.value;
    else faults.push({ name: setting.name, message: explain(setting, parsed.expected, environment) });
  }
  if (faults.length > 0) throw new ConfigError(faults);
  // because the loop has put the parsed value of every key of the table into the record.
  return Object.freeze(values) as Config;
}

/** A variable that is set but blank counts as absent, as shells and compose files leave it. */
function rawValue(setting: Setting<unknown>, environment: Environment): string {
  const given = environment[setting.name]?.trim();
  return given === undefined || given === '' ? (setting.default ?? '') : given;
}

function explain(setting: Setting<unknown>, expected: string, environment: Environment): string {
  const given = setting.secret ? '(hidden)' : JSON.stringify((environment[setting.name] ?? '').slice(0, 120));
  return `${setting.name} is ${given}; it must be ${expected}. For example: ${setting.name}=${setting.example}`;
}
