export interface RenderOptions {
  /** Paints the terminal report; the others never hold colour codes. */
  readonly color: boolean;
  /** The contract folder as seen from the top of the repository, for links to files. */
  readonly root: string;
}
