// The field list of a form as one text, while the user types. The form's schema parses and validates it on submit.

/** Splits at commas, trims, and drops blanks. */
export function splitFields(text: string): string[] {
  return text
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '')
}

export function joinFields(fields: readonly string[]): string {
  return fields.join(', ')
}

/** Adds a preset group: only the missing fields, after the existing ones. */
export function addFields(text: string, fields: readonly string[]): string {
  const present = splitFields(text)
  return joinFields([...present, ...fields.filter((field) => !present.includes(field))])
}

/** Adds the field when it is missing, removes it when it is there. */
export function toggleField(text: string, field: string): string {
  const present = splitFields(text)
  return present.includes(field) ? joinFields(present.filter((one) => one !== field)) : joinFields([...present, field])
}
