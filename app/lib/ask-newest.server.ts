// Lists records so that the newest are among them. The platform's order is not by edit, so a cut list may lack them.
interface Found {
  outcome: 'ok'
  value: Record<string, unknown>[]
}

/** `ask`: with a further clause; '' = none. A list as long as the limit was cut, so its recent edits are asked too. */
export async function askNewest<Failure extends { outcome: string }>(
  ask: (recent: string) => Promise<Found | Failure>,
  limit: number,
  recent: readonly string[],
): Promise<Found | Failure> {
  const found = new Map<unknown, Found['value'][number]>()
  for (const clause of ['', ...recent]) {
    const answer = await ask(clause)
    if (!isFound(answer) || (clause === '' && answer.value.length < limit)) return answer
    for (const record of answer.value) found.set(record.uuid, record)
    if (answer.value.length < limit) break
  }
  return { outcome: 'ok', value: [...found.values()] }
}

function isFound(answer: { outcome: string }): answer is Found {
  return answer.outcome === 'ok'
}
