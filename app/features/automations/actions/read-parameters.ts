// Reads a step's parameters for an action: as text or flag, whatever their stored type.
import type { ActionParameters, ParameterValue } from '#app/domain/automations/rule.ts'

function own(parameters: ActionParameters, name: string): ParameterValue | undefined {
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined
}

/** As written, with its spaces; '' when missing or not text. */
export function textParameter(parameters: ActionParameters, name: string): string {
  const value = own(parameters, name)
  if (Array.isArray(value)) return value.filter((entry) => typeof entry === 'string').join(', ')
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** An id, an address or a word, without outer spaces. */
export function wordParameter(parameters: ActionParameters, name: string): string {
  return textParameter(parameters, name).trim()
}

export function flagParameter(parameters: ActionParameters, name: string): boolean {
  const value = own(parameters, name)
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return value === 1
  return typeof value === 'string' && /^(true|on|yes|1)$/i.test(value.trim())
}

/** A whole number from 1; null when missing or invalid. */
export function positionParameter(parameters: ActionParameters, name: string): number | null {
  const value = Number(own(parameters, name) ?? Number.NaN)
  return Number.isInteger(value) && value >= 1 ? value : null
}

/** Rows of a list (materials, bundles, name and value), each cell as text. */
export function rowsParameter(parameters: ActionParameters, name: string): Record<string, string>[] {
  const value = own(parameters, name)
  if (!Array.isArray(value)) return []
  return value.flatMap((row) =>
    typeof row === 'object' && row !== null
      ? [Object.fromEntries(Object.entries(row).map(([key, cell]) => [key, String(cell ?? '').trim()]))]
      : [],
  )
}
