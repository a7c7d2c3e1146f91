// Chooses the materials and bundles of a new job: typed in, copied, or moved; from one job, from the run's group, or
// from all jobs of the customer (specification, sections 3 and 4; contract, section 8).
import type { ListInput, PlatformRecord } from '#app/adapters/platform.ts'
import type { PlanWarning } from '#app/domain/automations/effect.ts'
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
  LINE_SOURCES,
  looseLines,
  materialLine,
  type PlannedLine,
  quantity,
  times,
} from './job-lines.ts'
import {
  afterTrouble,
  type Ended,
  ended,
  impossible,
  isGrouped,
  jobTargets,
  type NamedRecord,
  readNamed,
  type Wording,
} from './planning.server.ts'
import { flagParameter, rowsParameter } from './read-parameters.ts'

/** Each line is a separate call; more would take minutes of the account's share of calls. */
const MOST_LINES = 300
/** With more jobs than this, one list of everything is cheaper. */
const MANY_JOBS = 10
const MOST_ROWS = 50_000

type Source = 'none' | 'manual' | 'copy' | 'move'

interface StockRequest {
  source: Source
  /** True = from all jobs of the group or of the customer. */
  all: boolean
}

type ChosenLines = { outcome: 'ok'; lines: PlannedLine[]; warnings: PlanWarning[] } | Ended

const TWO_SOURCES = 'It can be copied or moved, not both. Open the automation and choose one.'

/** Copying or moving replaces what was typed in; null = both are chosen. */
function wishOf(parameters: ActionParameters, list: keyof typeof LINE_SOURCES): StockRequest | null {
  const { copy, copyAll, transfer, transferAll } = LINE_SOURCES[list]
  const on = (name: string) => flagParameter(parameters, name)
  const copies = on(copy) || on(copyAll)
  const moves = on(transfer) || on(transferAll)
  if (copies && moves) return null
  if (copies) return { source: 'copy', all: on(copyAll) }
  if (moves) return { source: 'move', all: on(transferAll) }
  return { source: rowsParameter(parameters, list).length > 0 ? 'manual' : 'none', all: false }
}

export async function chooseLines(context: PlanContext, wording: Wording, companyUuid: string): Promise<ChosenLines> {
  const { parameters } = context.step
  const [materials, bundles] = [wishOf(parameters, 'materials'), wishOf(parameters, 'material_bundles')]
  if (!materials || !bundles) return ended(impossible('value', TWO_SOURCES))
  const stockOf = createStockReader(context, wording, companyUuid)
  // Bundles first, because their lines refer to them by position.
  const chosenBundles = await chooseBundles(context, bundles, stockOf)
  if (chosenBundles.outcome !== 'ok') return chosenBundles
  const bundlesStay = bundles.source === 'none' || bundles.source === 'manual'
  const chosenMaterials = await chooseMaterials(context, materials, bundlesStay, stockOf)
  if (chosenMaterials.outcome !== 'ok') return chosenMaterials
  const lines = [...chosenBundles.lines, ...chosenMaterials.lines]
  if (lines.length > MOST_LINES) {
    const sentence = `${lines.length} lines are more than one automation may add (${MOST_LINES}). Choose a single job as their source.`
    return ended(impossible('too_many_lines', sentence))
  }
  return { outcome: 'ok', lines, warnings: [...chosenBundles.warnings, ...chosenMaterials.warnings] }
}

async function chooseBundles(context: PlanContext, request: StockRequest, stockOf: StockOf): Promise<ChosenLines> {
  const { source, all } = request
  if (source === 'none') return { outcome: 'ok', lines: [], warnings: [] }
  if (source === 'manual') return typedBundles(context)
  const found = await stockOf(['sourceBundleJobUuid', 'sourceJobUuid'], all)
  if (found.outcome !== 'ok') return found
  const lines = bundleLines(found.stock, source)
  return { outcome: 'ok', lines, warnings: lines.length === 0 ? [nothing('bundles', source)] : [] }
}

async function chooseMaterials(
  context: PlanContext,
  { source, all }: StockRequest,
  bundlesStay: boolean,
  stockOf: StockOf,
): Promise<ChosenLines> {
  if (source === 'none') return { outcome: 'ok', lines: [], warnings: [] }
  if (source === 'manual') return typedMaterials(context)
  const found = await stockOf(['sourceJobUuid'], all)
  if (found.outcome !== 'ok') return found
  const { stock } = found
  // A copy without bundles still has all lines; moving a line out of its bundle would leave half a bundle behind.
  const lines = looseLines(stock, source, source === 'copy' && bundlesStay)
  const warnings = lines.length === 0 ? [nothing('materials', source)] : []
  if (source === 'move' && bundlesStay && stock.bundles.length > 0) {
    const sentence = 'Materials inside bundles stay where they are. Move the bundles too if they should come along.'
    warnings.push({ code: 'bundles_stay', sentence })
  }
  return { outcome: 'ok', lines, warnings }
}

function nothing(what: string, source: Source): PlanWarning {
  return {
    code: 'nothing_to_copy',
    sentence: `There are no ${what} to ${source === 'move' ? 'move' : 'copy'}, so none are added.`,
  }
}

/** `names`: the parameters that can name the job. */
type StockOf = (names: readonly string[], all: boolean) => Promise<{ outcome: 'ok'; stock: JobStock } | Ended>

/** Reads bundles and materials of the same jobs only once. */
function createStockReader(context: PlanContext, wording: Wording, companyUuid: string): StockOf {
  const known = new Map<string, JobStock>()
  return async (names, all) => {
    const from = all
      ? await allJobs(context, companyUuid)
      : { outcome: 'ok' as const, jobs: namedJobs(context, wording, names) }
    if (from.outcome !== 'ok') return from
    const { jobs } = from
    if (!jobs.every(isUuid)) {
      const sentence = 'The job to take materials from is not a job. Open the automation and choose one.'
      return ended(impossible('value', sentence))
    }
    const key = jobs.join('|')
    const held = known.get(key)
    if (held) return { outcome: 'ok', stock: held }
    const lines = await rowsOfJobs(context, 'jobmaterial', jobs)
    if (lines.outcome !== 'ok') return lines
    const bundles = await rowsOfJobs(context, 'jobmaterialbundle', jobs)
    if (bundles.outcome !== 'ok') return bundles
    const stock = { lines: lines.rows, bundles: bundles.rows }
    known.set(key, stock)
    return { outcome: 'ok', stock }
  }
}

/** The named job, else the run's own job. */
function namedJobs(context: PlanContext, wording: Wording, names: readonly string[]): string[] {
  for (const name of names) {
    const named = wording.parameter(name, 'field').trim().toLowerCase()
    if (named !== '') return [named]
  }
  return targetJobs(context).slice(0, 1)
}

function targetJobs(context: PlanContext): string[] {
  return jobTargets(context).map(({ uuid }) => uuid)
}

/** The jobs of the run's group; else the customer's other jobs: stock of the job that triggered the run stays there. */
async function allJobs(context: PlanContext, companyUuid: string): Promise<{ outcome: 'ok'; jobs: string[] } | Ended> {
  const own = targetJobs(context)
  if (isGrouped(context)) return { outcome: 'ok', jobs: own }
  const filter = `company_uuid eq '${quoted(companyUuid)}' and active eq '1'`
  const answer = await context.read.list('job', { filter })
  if (answer.outcome !== 'ok') return ended(afterTrouble(answer, "the customer's jobs"))
  const jobs = answer.value.map(valuesOf).filter((job) => isActive(job) && job.company_uuid === companyUuid)
  return { outcome: 'ok', jobs: jobs.flatMap(({ uuid }) => (uuid && !own.includes(uuid) ? [uuid] : [])) }
}

async function rowsOfJobs(
  { read }: PlanContext,
  object: 'jobmaterial' | 'jobmaterialbundle',
  jobs: readonly string[],
): Promise<{ outcome: 'ok'; rows: Values[] } | Ended> {
  const ofEach: ListInput[] = jobs.map((job) => ({ filter: `job_uuid eq '${quoted(job)}' and active eq '1'` }))
  const questions = jobs.length > MANY_JOBS ? [{ filter: "active eq '1'", limit: MOST_ROWS }] : ofEach
  const records: PlatformRecord[] = []
  for (const question of questions) {
    const answer = await read.list(object, question)
    if (answer.outcome !== 'ok') return ended(afterTrouble(answer, 'the materials'))
    // A list that was cut lacks some: this loop then goes on, job by job.
    if (answer.value.length === question.limit) questions.push(...ofEach)
    else for (const record of answer.value) records.push(record)
  }
  const order = new Map(jobs.map((job, index) => [job, index]))
  const rows = records.map(valuesOf).filter((row) => isActive(row) && order.has(row.job_uuid ?? ''))
  const place = (row: Values) => [order.get(row.job_uuid ?? '') ?? 0, readNumber(row.sort_order ?? '') ?? 0] as const
  rows.sort((a, b) => place(a)[0] - place(b)[0] || place(a)[1] - place(b)[1])
  return { outcome: 'ok', rows }
}

async function typedMaterials(context: PlanContext): Promise<ChosenLines> {
  const lines: PlannedLine[] = []
  for (const row of rowsParameter(context.step.parameters, 'materials')) {
    const material = await readChosen(context, 'material', row.material_uuid ?? '')
    if (material.outcome !== 'found') return material
    const count = quantity(row.quantity ?? '')
    if (count === null) return badQuantity(row.quantity ?? '')
    lines.push(materialLine(material.values, { quantity: count, unitCost: row.unit_cost ?? '', bundle: null }))
  }
  return { outcome: 'ok', lines, warnings: [] }
}

async function typedBundles(context: PlanContext): Promise<ChosenLines> {
  const lines: PlannedLine[] = []
  for (const row of rowsParameter(context.step.parameters, 'material_bundles')) {
    const bundle = await readChosen(context, 'materialbundle', row.bundle_uuid ?? '')
    if (bundle.outcome !== 'found') return bundle
    const count = quantity(row.quantity ?? '')
    if (count === null) return badQuantity(row.quantity ?? '')
    const position = lines.length
    lines.push(bundleLine(bundle.values, count))
    for (const part of bundleParts(bundle.record)) {
      const material = await readChosen(context, 'material', part.materialUuid)
      if (material.outcome !== 'found') return material
      const each = { quantity: times(part.quantity, count), unitCost: '', bundle: position }
      lines.push(materialLine(material.values, each))
    }
  }
  return { outcome: 'ok', lines, warnings: [] }
}

async function readChosen(
  { read }: PlanContext,
  object: 'material' | 'materialbundle',
  uuid: string,
): Promise<Extract<NamedRecord, { outcome: 'found' }> | Ended> {
  const what = object === 'material' ? 'material' : 'bundle'
  if (!isUuid(uuid)) {
    return ended(impossible('value', `A ${what} was not chosen. Open the automation and choose it.`))
  }
  const found = await readNamed(read, object, uuid.toLowerCase())
  if (found.outcome === 'failed') return ended(afterTrouble(found.trouble, `the ${what}`))
  if (found.outcome === 'found') return found
  const sentence = `A ${what} of this automation no longer exists in ServiceM8. Open the automation and choose it again.`
  return ended(impossible('not_found', sentence))
}

function badQuantity(text: string): Ended {
  const sentence = `"${text.slice(0, 30)}" is not a quantity. Correct it in the automation.`
  return ended(impossible('value', sentence))
}
