// Which materials and bundles a new job gets: typed in, copied, or moved; from one job, from the run's group, or from all jobs of the
// customer (specification, sections 3 and 4; contract, section 8).
import type { AccountCallResult, PlatformRecord } from '#app/adapters/platform.ts'
import type { Plan, PlanWarning } from '#app/domain/automations/effect.ts'
import type { ActionParameters } from '#app/domain/automations/rule.ts'
import { isActive, type Values, valuesOf } from '../records/fact-rows.ts'
import { quoted } from '../records/fact-sources.server.ts'
import { isUuid, readNumber } from '../records/field-value.ts'
import type { PlanContext } from './action.server.ts'
import {
  bundleLine,
  bundleLines,
  bundleParts,
  type JobStock,
  looseLines,
  materialLine,
  type PlannedLine,
  quantity,
  times,
} from './job-lines.ts'
import { afterTrouble, impossible, isGrouped, jobTargets, type Wording } from './planning.server.ts'
import { flagParameter, rowsParameter } from './read-parameters.ts'

/** Each line is a call of its own; more would take minutes of the account's share. */
const MOST_LINES = 300
/** From so many jobs on, one list of everything is cheaper. */
const MANY_JOBS = 10
const MOST_ROWS = 50_000

type Source = 'none' | 'manual' | 'copy' | 'move'

interface StockWish {
  source: Source
  /** From the group, or all jobs of the customer. */
  all: boolean
}

type ChosenLines = { outcome: 'ok'; lines: PlannedLine[]; warnings: PlanWarning[] } | { outcome: 'ended'; plan: Plan }

const TWO_SOURCES = 'It can be copied or moved, not both. Open the automation and choose one.'

/** Copying or moving clears what was typed in; both at once is refused. */
function materialWish(parameters: ActionParameters): StockWish | null {
  return wish(
    parameters,
    'materials',
    ['copyMaterialsFromJob', 'copyFromAllJobs'],
    ['updateExistingMaterials', 'transferFromAllJobs'],
  )
}

function bundleWish(parameters: ActionParameters): StockWish | null {
  return wish(
    parameters,
    'material_bundles',
    ['copyBundlesFromJob', 'copyBundlesFromAllJobs'],
    ['transferBundles', 'transferBundlesFromAllJobs'],
  )
}

function wish(
  parameters: ActionParameters,
  manual: string,
  [copyOne, copyAll]: readonly [string, string],
  [moveOne, moveAll]: readonly [string, string],
): StockWish | null {
  const on = (name: string) => flagParameter(parameters, name)
  const copies = on(copyOne) || on(copyAll)
  const moves = on(moveOne) || on(moveAll)
  if (copies && moves) return null
  if (copies) return { source: 'copy', all: on(copyAll) }
  if (moves) return { source: 'move', all: on(moveAll) }
  return { source: rowsParameter(parameters, manual).length > 0 ? 'manual' : 'none', all: false }
}

export async function chooseLines(context: PlanContext, wording: Wording, companyUuid: string): Promise<ChosenLines> {
  const { parameters } = context.step
  const [materials, bundles] = [materialWish(parameters), bundleWish(parameters)]
  if (!materials || !bundles) return { outcome: 'ended', plan: impossible('invalid', TWO_SOURCES) }
  const reader = createStockReader(context, companyUuid)
  const lines: PlannedLine[] = []
  const warnings: PlanWarning[] = []

  if (bundles.source === 'manual') {
    const typed = await typedBundles(context)
    if (typed.outcome !== 'ok') return typed
    lines.push(...typed.lines)
  } else if (bundles.source !== 'none') {
    const from = sourceJobs(context, wording, bundles, ['sourceBundleJobUuid', 'sourceJobUuid'])
    const stock = await reader.stockOf(from, bundles.all)
    if (stock.outcome !== 'ok') return stock
    const found = bundleLines(stock.stock, bundles.source, lines.length)
    if (found.length === 0) warnings.push(nothing('bundles', bundles.source))
    lines.push(...found)
  }

  if (materials.source === 'manual') {
    const typed = await typedMaterials(context)
    if (typed.outcome !== 'ok') return typed
    lines.push(...typed.lines)
  } else if (materials.source !== 'none') {
    const from = sourceJobs(context, wording, materials, ['sourceJobUuid'])
    const stock = await reader.stockOf(from, materials.all)
    if (stock.outcome !== 'ok') return stock
    // A copy without bundles still holds everything; moving a line out of its bundle would leave half a bundle behind.
    const bundlesStay = bundles.source === 'none' || bundles.source === 'manual'
    const found = looseLines(stock.stock, materials.source, materials.source === 'copy' && bundlesStay)
    if (found.length === 0) warnings.push(nothing('materials', materials.source))
    if (materials.source === 'move' && bundlesStay && stock.stock.bundles.length > 0) {
      const sentence = 'Materials inside bundles stay where they are. Move the bundles too if they should come along.'
      warnings.push({ code: 'bundles_stay', sentence })
    }
    lines.push(...found)
  }
  if (lines.length > MOST_LINES) {
    const sentence = `${lines.length} lines are more than one automation may add (${MOST_LINES}). Choose a single job as their source.`
    return { outcome: 'ended', plan: impossible('too_many_lines', sentence) }
  }
  return { outcome: 'ok', lines, warnings }
}

function nothing(what: string, source: Source): PlanWarning {
  return {
    code: 'nothing_to_copy',
    sentence: `There are no ${what} to ${source === 'move' ? 'move' : 'copy'}, so none are added.`,
  }
}

/** The named job, else the one the run is about; several for a group. Empty with `all` = the customer's other jobs. */
function sourceJobs(context: PlanContext, wording: Wording, { all }: StockWish, names: readonly string[]): string[] {
  const targets = jobTargets(context).map(({ uuid }) => uuid)
  if (all) return isGrouped(context) ? targets : []
  for (const name of names) {
    const named = wording.parameter(name, 'field').trim().toLowerCase()
    if (named !== '') return [named]
  }
  return targets.slice(0, 1)
}

interface StockReader {
  stockOf(
    jobs: readonly string[],
    all: boolean,
  ): Promise<{ outcome: 'ok'; stock: JobStock } | { outcome: 'ended'; plan: Plan }>
}

/** Bundles and materials of the same jobs are read once. */
function createStockReader(context: PlanContext, companyUuid: string): StockReader {
  const known = new Map<string, JobStock>()
  return {
    async stockOf(jobs, all) {
      let from = [...jobs]
      if (all && !isGrouped(context)) {
        const found = await customerJobs(context, companyUuid)
        if (found.outcome !== 'ok') return found
        // The other jobs: what lies on the one that set it off stays there.
        const own = jobTargets(context)
        from = found.jobs.filter((uuid) => !own.some((target) => target.uuid === uuid))
      }
      const wrong = from.find((uuid) => !isUuid(uuid))
      if (wrong !== undefined) {
        const sentence = 'The job to take materials from is not a job. Open the automation and choose one.'
        return { outcome: 'ended', plan: impossible('invalid', sentence) }
      }
      const key = from.join('|')
      const held = known.get(key)
      if (held) return { outcome: 'ok', stock: held }
      const lines = await rowsOfJobs(context, 'jobmaterial', from)
      if (lines.outcome !== 'ok') return lines
      const bundles = await rowsOfJobs(context, 'jobmaterialbundle', from)
      if (bundles.outcome !== 'ok') return bundles
      const stock = { lines: lines.rows, bundles: bundles.rows }
      known.set(key, stock)
      return { outcome: 'ok', stock }
    },
  }
}

async function customerJobs(
  { read }: PlanContext,
  companyUuid: string,
): Promise<{ outcome: 'ok'; jobs: string[] } | { outcome: 'ended'; plan: Plan }> {
  const filter = `company_uuid eq '${quoted(companyUuid)}' and active eq '1'`
  const answer = await read.list('job', { filter })
  if (answer.outcome !== 'ok') return { outcome: 'ended', plan: afterTrouble(answer, "the customer's jobs") }
  const jobs = answer.value.map(valuesOf).filter((job) => isActive(job) && job.company_uuid === companyUuid)
  return { outcome: 'ok', jobs: jobs.flatMap(({ uuid }) => (uuid ? [uuid] : [])) }
}

async function rowsOfJobs(
  { read }: PlanContext,
  object: 'jobmaterial' | 'jobmaterialbundle',
  jobs: readonly string[],
): Promise<{ outcome: 'ok'; rows: Values[] } | { outcome: 'ended'; plan: Plan }> {
  const records: PlatformRecord[] = []
  const take = (answer: AccountCallResult<PlatformRecord[]>): Plan | null => {
    if (answer.outcome !== 'ok') return afterTrouble(answer, 'the materials')
    for (const record of answer.value) records.push(record)
    return null
  }
  if (jobs.length > MANY_JOBS) {
    const trouble = take(await read.list(object, { filter: "active eq '1'", limit: MOST_ROWS }))
    if (trouble) return { outcome: 'ended', plan: trouble }
  } else {
    for (const job of jobs) {
      const trouble = take(await read.list(object, { filter: `job_uuid eq '${quoted(job)}' and active eq '1'` }))
      if (trouble) return { outcome: 'ended', plan: trouble }
    }
  }
  const order = new Map(jobs.map((job, index) => [job, index]))
  const rows = records.map(valuesOf).filter((row) => isActive(row) && order.has(row.job_uuid ?? ''))
  const place = (row: Values) => [order.get(row.job_uuid ?? '') ?? 0, readNumber(row.sort_order ?? '') ?? 0] as const
  rows.sort((a, b) => place(a)[0] - place(b)[0] || place(a)[1] - place(b)[1])
  return { outcome: 'ok', rows }
}

type TypedLines = { outcome: 'ok'; lines: PlannedLine[] } | { outcome: 'ended'; plan: Plan }

async function typedMaterials(context: PlanContext): Promise<TypedLines> {
  const lines: PlannedLine[] = []
  for (const row of rowsParameter(context.step.parameters, 'materials')) {
    const material = await materialOf(context, row.material_uuid ?? '')
    if (material.outcome !== 'ok') return material
    const count = quantity(row.quantity ?? '')
    if (count === null) return badQuantity(row.quantity ?? '')
    lines.push(materialLine(material.values, { quantity: count, unitCost: row.unit_cost ?? '', bundle: null }))
  }
  return { outcome: 'ok', lines }
}

async function typedBundles(context: PlanContext): Promise<TypedLines> {
  const lines: PlannedLine[] = []
  for (const row of rowsParameter(context.step.parameters, 'material_bundles')) {
    const uuid = row.bundle_uuid ?? ''
    const answer = await readChosen(context, 'materialbundle', uuid)
    if (answer.outcome === 'ended') return answer
    const count = quantity(row.quantity ?? '')
    if (count === null) return badQuantity(row.quantity ?? '')
    const position = lines.length
    lines.push(bundleLine(answer.values, count))
    for (const part of bundleParts(answer.record)) {
      const material = await materialOf(context, part.materialUuid)
      if (material.outcome !== 'ok') return material
      const each = { quantity: times(part.quantity, count), unitCost: '', bundle: position }
      lines.push(materialLine(material.values, each))
    }
  }
  return { outcome: 'ok', lines }
}

async function materialOf(
  context: PlanContext,
  uuid: string,
): Promise<{ outcome: 'ok'; values: Values } | { outcome: 'ended'; plan: Plan }> {
  const read = await readChosen(context, 'material', uuid)
  return read.outcome === 'ok' ? { outcome: 'ok', values: read.values } : read
}

async function readChosen(
  { read }: PlanContext,
  object: 'material' | 'materialbundle',
  uuid: string,
): Promise<{ outcome: 'ok'; values: Values; record: PlatformRecord } | { outcome: 'ended'; plan: Plan }> {
  const what = object === 'material' ? 'material' : 'bundle'
  const gone = `A ${what} of this automation no longer exists in ServiceM8. Open the automation and choose it again.`
  if (!isUuid(uuid))
    return {
      outcome: 'ended',
      plan: impossible('invalid', `A ${what} was not chosen. Open the automation and choose it.`),
    }
  const answer = await read.read(object, uuid.toLowerCase())
  if (answer.outcome === 'refused') return { outcome: 'ended', plan: impossible('not_found', gone) }
  if (answer.outcome !== 'ok') return { outcome: 'ended', plan: afterTrouble(answer, `the ${what}`) }
  const values: Values = { ...valuesOf(answer.value), uuid: uuid.toLowerCase() }
  return isActive(values)
    ? { outcome: 'ok', values, record: answer.value }
    : { outcome: 'ended', plan: impossible('not_found', gone) }
}

function badQuantity(text: string): { outcome: 'ended'; plan: Plan } {
  const sentence = `"${text.slice(0, 30)}" is not a quantity. Correct it in the automation.`
  return { outcome: 'ended', plan: impossible('invalid', sentence) }
}
