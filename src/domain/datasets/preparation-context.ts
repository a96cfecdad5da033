/** What the source of a dataset is made of, counted in traces or in model calls. */
export interface PreparationContext {
  readonly unit: 'traces' | 'calls';
  readonly count: number;
  readonly failed: number;
  readonly sessions: number;
  /** How many of the units each took; a model of '' is none. */
  readonly models: readonly { readonly name: string; readonly count: number }[];
  readonly capabilities: readonly { readonly name: string; readonly count: number }[];
}

/** What the two halves of a split have in common. */
export interface ContaminationReport {
  readonly overlappingContents: number;
}

/** As `SourceTally` writes it; a dataset made from files has none. */
export type StoredContext = Readonly<Record<string, unknown>>;

export function toPreparationContext(stored: StoredContext): PreparationContext | undefined {
  const unit = 'traces' in stored ? 'traces' : 'calls';
  if (!(unit in stored)) return undefined;
  const tally = (key: string, name: string): PreparationContext['models'] =>
    listOf(stored[key])
      .map((entry) => ({ name: String(entry[name]), count: Number(entry[unit]) }))
      .sort((one, other) => other.count - one.count);
  return {
    unit,
    count: Number(stored[unit]),
    failed: Number(stored[`failed_${unit}`]),
    sessions: Number(stored['sessions']),
    models: tally('models', 'model'),
    capabilities: tally('capabilities', 'name'),
  };
}

export function toContaminationReport(stored: StoredContext): ContaminationReport | undefined {
  const contents = stored['overlapping_contents'];
  return contents === undefined ? undefined : { overlappingContents: Number(contents) };
}

function listOf(value: unknown): readonly StoredContext[] {
  // because the landing wrote it, and writes lists of objects under these names
  return Array.isArray(value) ? (value as readonly StoredContext[]) : [];
}
