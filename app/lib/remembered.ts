/**
 * Caches a function's results for the latest `most` texts. Only for functions whose result for a text never changes.
 * Errors are not cached.
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
    // Evicts the oldest entry; one still in use is soon cached again.
    const oldest = answers.size >= most ? answers.keys().next().value : undefined
    if (oldest !== undefined) answers.delete(oldest)
    answers.set(text, answer)
    return answer
  }
}
