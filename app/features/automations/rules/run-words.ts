// What is said about a run beside its reasons.
/** Before all of a run is done once more. */
export function repeatWords(messages: number): string {
  if (messages === 0) return 'Everything is done once more. No customer gets a message again.'
  const times = messages === 1 ? '1 message' : `${messages} messages`
  return `Everything is done once more: ${times} to customers will be sent again.`
}
