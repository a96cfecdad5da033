import { likeText } from '../../db/database.ts';
import type { SqlConditions } from './sql-conditions.ts';
import type { ListSource } from './trace-list-source.ts';

const HEXADECIMAL = /^[0-9a-f]+$/;
const SPAN_ID_LENGTH = 16;

/**
 * The index over spans knows their names alone. A text that cannot be part of an id is looked for there; one that is as
 * long as a span's id can only be a name, that id or part of a trace's, and those have indexes too. What is shorter
 * and hexadecimal may be anywhere in an id, so the order of the list is walked.
 */
export function addSearch(
  conditions: SqlConditions,
  {
    projectId,
    source,
    text: wanted,
  }: { readonly projectId: string; readonly source: ListSource; readonly text: string },
): void {
  const pattern = `%${likeText(wanted)}%`;
  if (source.main === 's' && !HEXADECIMAL.test(wanted)) {
    conditions.add(`${NAMES_OF_SPAN} like ? escape '\\'`, pattern);
    return;
  }
  conditions.add(`${source.main}.search_text like ? escape '\\'`, pattern);
  if (source.main === 't' || wanted.length < SPAN_ID_LENGTH) return;
  conditions.add(
    `(${NAMES_OF_SPAN} like ? escape '\\' or s.span_id = ? or s.trace_id = any(array(
       select trace_id from traces where project_id = ? and search_text like ? escape '\\')))`,
    true,
    [pattern, wanted, projectId, pattern],
  );
}

/** The last 50 characters of a span's text are its ids. */
const NAMES_OF_SPAN = 'left(s.search_text, -50)';
