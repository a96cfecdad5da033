const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const SEGMENTS_MAX = 16;
const LENGTH_MAX = 512;

/**
 * The segments of a key. Keys are made by our own code, so a bad one is a bug; it is refused here all the same,
 * because a key with `..` would leave the store's folder.
 */
export function keySegments(key: string): readonly string[] {
  const segments = key.split('/');
  const fits = key.length <= LENGTH_MAX && segments.length <= SEGMENTS_MAX;
  if (!fits || !segments.every((segment) => SEGMENT.test(segment)))
    throw new RangeError('The object key is malformed.');
  return segments;
}
