// Materials and bundles of a new job, as records to create or move. The platform has no call that copies or moves them
// (facts: section 9), so each line is a separate record; a bundle comes before its lines, which point to it.
import type { Effect } from '#app/domain/automations/effect.ts'
import { parseJson } from '#app/lib/json.ts'
import type { Values } from '../records/fact-rows.ts'
import { readFlag, readNumber } from '../records/field-value.ts'

/** The parameters for the source of a new job's lines if not typed in: copied or moved, from one job or all. */
export const LINE_SOURCES = {
  materials: {
    copy: 'copyMaterialsFromJob',
    transfer: 'updateExistingMaterials',
    copyAll: 'copyFromAllJobs',
    transferAll: 'transferFromAllJobs',
    job: 'sourceJobUuid',
  },
  material_bundles: {
    copy: 'copyBundlesFromJob',
    transfer: 'transferBundles',
    copyAll: 'copyBundlesFromAllJobs',
    transferAll: 'transferBundlesFromAllJobs',
    job: 'sourceBundleJobUuid',
  },
} as const

export interface PlannedLine {
  object: 'jobmaterial' | 'jobmaterialbundle'
  /** Null = a new record; else the record to move to the new job. */
  moves: { uuid: string; fromJob: string } | null
  fields: Record<string, string>
  /** Position of its bundle among the planned lines; null = it has no bundle. */
  bundle: number | null
  words: string
}

const LINE_FIELDS = [
  'material_uuid',
  'name',
  'quantity',
  'price',
  'displayed_amount',
  'displayed_amount_is_tax_inclusive',
  'tax_rate_uuid',
  'cost',
  'displayed_cost',
] as const
const BUNDLE_FIELDS = ['material_bundle_uuid', 'item_number', 'name', 'quantity'] as const

/** The lines and bundles of one or several jobs. */
export interface JobStock {
  lines: readonly Values[]
  bundles: readonly Values[]
}

/** Bundles with their lines, copied or moved. Leaves out lines without a bundle. */
export function bundleLines(stock: JobStock, how: 'copy' | 'move'): PlannedLine[] {
  const planned: PlannedLine[] = []
  for (const bundle of stock.bundles) {
    const position = planned.length
    planned.push(lineOf('jobmaterialbundle', bundle, how, null))
    for (const line of stock.lines) {
      if (line.job_material_bundle_uuid && line.job_material_bundle_uuid === bundle.uuid) {
        planned.push(lineOf('jobmaterial', line, how, position))
      }
    }
  }
  return planned
}

/** Lines without a bundle; `all` = also the lines of bundles, then without their bundle. */
export function looseLines(stock: JobStock, how: 'copy' | 'move', all: boolean): PlannedLine[] {
  return stock.lines
    .filter((line) => all || !line.job_material_bundle_uuid)
    .map((line) => lineOf('jobmaterial', line, how, null))
}

function lineOf(
  object: PlannedLine['object'],
  values: Values,
  how: 'copy' | 'move',
  bundle: number | null,
): PlannedLine {
  const words = `${values.quantity ?? ''} × ${values.name || 'material'}`.trim()
  if (how === 'move') {
    return { object, moves: { uuid: values.uuid ?? '', fromJob: values.job_uuid ?? '' }, fields: {}, bundle, words }
  }
  const names = object === 'jobmaterial' ? LINE_FIELDS : BUNDLE_FIELDS
  const fields = Object.fromEntries(names.flatMap((name) => (values[name] ? [[name, values[name]]] : [])))
  return { object, moves: null, fields: { ...fields, quantity: values.quantity || '1' }, bundle, words }
}

/** A material chosen in the rule. `unitCost` '' = the material's own price; both are ex tax. */
export function materialLine(
  material: Values,
  input: { quantity: string; unitCost: string; bundle: number | null },
): PlannedLine {
  const price = input.unitCost === '' ? (material.price ?? '') : money(input.unitCost)
  // A typed price is ex tax; the price list says whether the material's own price includes tax.
  const inclusive = input.unitCost === '' && readFlag(material.price_includes_taxes ?? '') === true
  const fields: Record<string, string> = { name: material.name ?? '', quantity: input.quantity }
  const put = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== '') fields[name] = value
  }
  put('material_uuid', material.uuid)
  put('price', price)
  put('displayed_amount', price)
  put('displayed_amount_is_tax_inclusive', price === '' ? undefined : inclusive ? '1' : '0')
  put('cost', material.cost)
  put('displayed_cost', material.cost)
  put('tax_rate_uuid', material.tax_rate_uuid)
  return {
    object: 'jobmaterial',
    moves: null,
    fields,
    bundle: input.bundle,
    words: `${input.quantity} × ${material.name || 'material'}`,
  }
}

export function bundleLine(bundle: Values, quantity: string): PlannedLine {
  return {
    object: 'jobmaterialbundle',
    moves: null,
    fields: {
      material_bundle_uuid: bundle.uuid ?? '',
      ...(bundle.item_number && { item_number: bundle.item_number }),
      name: bundle.name || bundle.item_number || 'Bundle',
      quantity,
    },
    bundle: null,
    words: `${quantity} × ${bundle.name || bundle.item_number || 'bundle'}`,
  }
}

/** The parts of a bundle: `material_list` in the platform's form, a list or its JSON text. */
export function bundleParts(bundle: Readonly<Record<string, unknown>>): { materialUuid: string; quantity: string }[] {
  const list = listOf(bundle.material_list)
  return list.flatMap((part) => {
    if (typeof part !== 'object' || part === null) return []
    const row = part as Record<string, unknown>
    const uuid = String(row.material_uuid ?? row.uuid ?? '')
    return uuid === '' ? [] : [{ materialUuid: uuid, quantity: quantity(String(row.quantity ?? '1')) ?? '1' }]
  })
}

function listOf(value: unknown): unknown[] {
  const parsed = typeof value === 'string' && value.trim().startsWith('[') ? parseJson(value) : value
  return Array.isArray(parsed) ? parsed : []
}

/** `2`, `1.5`; an empty text = 1; null for anything but a number above 0. */
export function quantity(text: string): string | null {
  if (text.trim() === '') return '1'
  const number = readNumber(text)
  return number === null || number <= 0 || number > 1_000_000 ? null : plain(number)
}

/** Component quantity × bundle quantity (contract: section 8). */
export function times(a: string, b: string): string {
  return plain(Number(a) * Number(b))
}

function plain(number: number): string {
  return String(Math.round(number * 10_000) / 10_000)
}

/** `12.50`; '' for anything but an amount. */
function money(text: string): string {
  const number = readNumber(text)
  return number === null || number < 0 ? '' : number.toFixed(2)
}

/** The effects after the job, which is effect 0: line N becomes effect N + 1. */
export function lineEffects(lines: readonly PlannedLine[]): Effect[] {
  return lines.map((line): Effect => {
    const parents: Record<string, number> = {
      job_uuid: 0,
      ...(line.bundle !== null && { job_material_bundle_uuid: line.bundle + 1 }),
    }
    if (line.moves) {
      return {
        kind: 'update_record',
        class: 'set',
        object: line.object,
        recordUuid: line.moves.uuid,
        before: { job_uuid: line.moves.fromJob },
        fields: line.fields,
        parents,
        summary: `Move ${line.words} to the new job`,
      }
    }
    return {
      kind: 'create_record',
      class: 'create',
      object: line.object,
      fields: line.fields,
      parents,
      readBack: [],
      summary: `Add ${line.words} to the new job`,
    }
  })
}
