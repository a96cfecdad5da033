/** Figures over the traces received in one window. */
export interface Traffic {
  readonly n: number;
  readonly errors: number;
  /** Three decimals; 0 without traces. */
  readonly errorRate: number;
  readonly avgDurationMs?: number;
  readonly p50DurationMs?: number;
  readonly p95DurationMs?: number;
  readonly totalTokens: number;
  readonly totalCost: number;
}

export interface ModelUse {
  readonly model: string;
  readonly calls: number;
  readonly errors: number;
  readonly totalTokens: number;
  readonly totalCost: number;
}

export interface ErrorCount {
  readonly message: string;
  readonly n: number;
}

export interface Health {
  readonly days: number;
  readonly traffic: Traffic;
  /** The equal window just before. */
  readonly previous: Traffic;
  readonly models: readonly ModelUse[];
  readonly errors: readonly ErrorCount[];
  /** Models or errors beyond the first twenty exist. */
  readonly truncated: boolean;
}
