export const SIGNED_MESSAGES = {
  refused: 'This call is not signed by ServiceM8, or its time is over.',
  replayed: 'This opening was already used. Please open the add-on from ServiceM8 again.',
  ticket: 'This opening is over. Please open the add-on from ServiceM8 again.',
} as const
