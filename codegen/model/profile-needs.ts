/** What a client may want of every tool beside limits and keywords. */
export const PROFILE_NEEDS = [
  'object_input',
  'object_output',
  'array_items',
  'title',
  'effect_hints',
  'closed_objects',
  'all_required',
] as const;

export type ProfileNeed = (typeof PROFILE_NEEDS)[number];
