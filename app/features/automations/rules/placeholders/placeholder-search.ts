// Finds placeholders by words of their label or name.

export function matchingChoices<Choice extends { name: string; label: string; group: string }>(
  choices: readonly Choice[],
  wanted: string,
): Choice[] {
  const words = wanted
    .toLowerCase()
    .split(/[\s_.{}]+/)
    .filter(Boolean)
  return choices.filter(({ name, label, group }) => {
    const text = `${label} ${name} ${group}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
