export type TurnStatus = 'running' | 'awaiting_approval' | 'resolved' | 'complete' | 'error';

/** What became of a version that a turn of the agent brought about. */
export interface TurnCell {
  readonly id: string;
  readonly title: string;
  readonly action: 'proposed' | 'added' | 'approved' | 'denied';
}

export interface TurnProgress {
  readonly stage: string;
  readonly detail: string;
}

/** One turn of a dataset's chat. */
export interface ChatTurn {
  readonly id: string;
  readonly datasetId: string;
  readonly role: 'user' | 'agent';
  /** Empty while the agent works. */
  readonly text: string;
  readonly error?: string;
  readonly cells: readonly TurnCell[];
  readonly status: TurnStatus;
  readonly progress?: TurnProgress;
  /** The turn whose proposals were decided, when the agent goes on by itself. */
  readonly continues?: string;
  /** Who said it, or asked for it. */
  readonly accountId?: string;
  readonly createdAt: Date;
  readonly endedAt?: Date;
}

/** How a turn of the agent ends. */
export interface TurnEnding {
  readonly text: string;
  readonly error?: string;
}

/** Longest text of a turn that is kept. */
export const TURN_TEXT_MAX = 8_000;

/** What an ended turn waits for, if anything. A failed turn stays failed, whatever it had proposed before. */
export function statusAfter({ error }: TurnEnding, cells: readonly TurnCell[]): TurnStatus {
  if (error !== undefined) return 'error';
  return cells.some(({ action }) => action === 'proposed') ? 'awaiting_approval' : 'complete';
}
