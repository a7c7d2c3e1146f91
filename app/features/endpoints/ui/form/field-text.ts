// The fields of a form as one text, while it is being typed. What is sent is read and judged by the form's schema.

/** Split at commas, trimmed, blanks dropped. */
export function splitFields(text: string): string[] {
  return text
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '')
}

export function joinFields(fields: readonly string[]): string {
  return fields.join(', ')
}

/** Adds a preset group: only the fields that are missing, after those already there. */
export function addFields(text: string, fields: readonly string[]): string {
  const present = splitFields(text)
  return joinFields([...present, ...fields.filter((field) => !present.includes(field))])
}

/** Adds the field when it is missing, takes it away when it is there. */
export function toggleField(text: string, field: string): string {
  const present = splitFields(text)
  return present.includes(field) ? joinFields(present.filter((one) => one !== field)) : joinFields([...present, field])
}
