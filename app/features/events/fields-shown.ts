// The changed fields of an event, for a row.
/** What a person wants to read of the changed fields: no ids, the status first. */
export function fieldsShown(changedFields: readonly string[]): string {
  const shown = changedFields.filter((field) => !field.endsWith('_uuid'))
  return shown.sort((a, b) => Number(b === 'status') - Number(a === 'status')).join(', ')
}
