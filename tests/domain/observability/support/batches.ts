import { createHash } from 'node:crypto';
import type { SpanLike } from './otlp.ts';

/** Spans of one batch; batches of one trace follow each other, so every kill falls into a trace that goes on. */
export const BATCH_SPANS = 40;
const BATCHES_PER_TRACE = 4;

const hex = (text: string, digits: number): string => createHash('sha256').update(text).digest('hex').slice(0, digits);

/** The batch of this number: the same spans in every process that makes it. */
export function batchOf(seed: string, number: number): SpanLike[] {
  const trace = hex(`${seed} trace ${Math.floor(number / BATCHES_PER_TRACE)}`, 32);
  return Array.from({ length: BATCH_SPANS }, (_, index) => ({
    trace,
    id: hex(`${seed} ${number} ${index}`, 16),
    start: 1_762_500_000_000_000_000n + BigInt(number * BATCH_SPANS + index),
    attributes: {
      'genai.total_tokens': 1,
      'genai.cost': 0.001,
      'session.id': `${seed} ${number % 3}`,
      'overmind.capability': `${seed} ${number % 2}`,
      ...(index === 0 && { 'overmind.behaviour': 'survive' }),
    },
  }));
}
