/**
 * The same function, but what it said about the latest `most` different texts is kept instead of worked out again. Only for
 * functions whose answer to a text never changes. What throws is not kept.
 */
export function remembered<Answer extends NonNullable<unknown>>(
  most: number,
  work: (text: string) => Answer,
): (text: string) => Answer {
  const answers = new Map<string, Answer>()
  return (text) => {
    const known = answers.get(text)
    if (known !== undefined) return known
    const answer = work(text)
    // The one that has been here longest makes room: whatever is in use is soon back.
    const oldest = answers.size >= most ? answers.keys().next().value : undefined
    if (oldest !== undefined) answers.delete(oldest)
    answers.set(text, answer)
    return answer
  }
}
