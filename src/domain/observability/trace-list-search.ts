import { likeText } from '../../db/database.ts';
import type { SqlConditions } from './sql-conditions.ts';
import type { ListSource } from './trace-list-source.ts';

const HEXADECIMAL = /^[0-9a-f]+$/;
const SPAN_ID_LENGTH = 16;

/** Name and service of a span in lower case; the last 50 characters of its text are its ids. */
const LABEL_OF_SPAN = 'left(s.search_text, -50)';
const LABELS_LIKE = `(select label from span_labels where project_id = ? and label like ? escape '\\')`;

/** What a list is searched for, in lower case. */
export interface ListSearch {
  readonly text: string;
  /** Spans are taken label by label, each as `named.label`. */
  readonly byLabel: boolean;
}

/** A text that cannot be part of an id can only be in a label. */
export function isInLabels(text: string): boolean {
  return !HEXADECIMAL.test(text);
}

/**
 * Labels have an index, and so have ids that are given whole. A text as long as a span's id can only be in a label, be
 * that id or be part of a trace's. What is shorter and hexadecimal may be anywhere in an id, so the order of the list
 * is walked.
 */
export function addSearch(
  conditions: SqlConditions,
  projectId: string,
  { main }: Pick<ListSource, 'main'>,
  { text, byLabel }: ListSearch,
): void {
  const pattern = `%${likeText(text)}%`;
  if (main === 's' && byLabel) {
    conditions.when(true, `${LABEL_OF_SPAN} = named.label`);
    return;
  }
  if (main === 's' && isInLabels(text)) {
    conditions.add(`${LABEL_OF_SPAN} = any(array${LABELS_LIKE})`, true, [projectId, pattern]);
    return;
  }
  conditions.add(`${main}.search_text like ? escape '\\'`, pattern);
  if (main === 't' || text.length < SPAN_ID_LENGTH) return;
  conditions.add(
    `(${LABEL_OF_SPAN} = any(array${LABELS_LIKE}) or s.span_id = ? or s.trace_id = any(array(
       select trace_id from traces where project_id = ? and search_text like ? escape '\\')))`,
    true,
    [projectId, pattern, text, projectId, pattern],
  );
}
