// Finds placeholders by words of their label or name. Without words, what has the same label is listed once.

export function matchingChoices<Choice extends { name: string; label: string; group: string }>(
  choices: readonly Choice[],
  wanted: string,
): Choice[] {
  const words = wanted
    .toLowerCase()
    .split(/[\s_.{}]+/)
    .filter(Boolean)
  if (words.length === 0)
    return choices.filter((one, at) => choices.findIndex(({ label }) => label === one.label) === at)
  return choices.filter(({ name, label, group }) => {
    const text = `${label} ${name} ${group}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
