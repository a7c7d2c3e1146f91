// Every page of the stage by its address: loads its data and renders it.
import type { Answer } from '../http.server.ts'
import { FAULT_PREFIX } from '../stripe/stripe-options.ts'
import type { AccountView, OutboxItem, SandboxRecord } from '../world.ts'
import { pathParts } from './form.ts'
import { findJobs, type JobQuery, jobView, latestJobs, namedOptions, nameOf, ofJob, text } from './job-view.ts'
import type { Said } from './layout.tsx'
import { pageAnswer } from './page-answer.server.ts'
import { AccountPage } from './pages/account-page.tsx'
import { JobPage } from './pages/job-page.tsx'
import { LostPage, ReceiversPage, TrailsPage } from './pages/list-pages.tsx'
import { OfficePage } from './pages/office-page.tsx'
import { OpenedPage, OpeningPage, SignedNotePage } from './pages/opening-page.tsx'
import { OutboxPage } from './pages/outbox-page.tsx'
import { PaymentsPage } from './pages/payments-page.tsx'
import { PostsPage } from './pages/posts-page.tsx'
import { StartPage } from './pages/start-page.tsx'
import { SwitchesPage } from './pages/switches-page.tsx'
import { WebhooksPage } from './pages/webhooks-page.tsx'
import { paymentsView } from './payments.server.ts'
import { answerOfAddon, fileAnswer, mailAnswer } from './raw-answers.server.ts'
import { type ConsoleStage, clockView } from './stage.server.ts'
import type { Trail } from './trails.server.ts'

const JOBS_ON_STAGE = 5
const POSTS_SHOWN = 100

/** A page being rendered: its query, the result of the last action, and that action's trail. */
interface Drawing {
  stage: ConsoleStage
  query: URLSearchParams
  said: Said | null
  trail: Trail | null
}

/** @param path the part after `/sandbox/console/`, or '' for the stage itself. Null when there is no such page. */
export async function page(stage: ConsoleStage, path: string, query: URLSearchParams): Promise<Answer | null> {
  const trailId = Number(query.get('trail') ?? 0)
  if (trailId > 0) await stage.trails.travelled(trailId)
  const trail = trailId > 0 ? stage.trails.find(trailId) : null
  const said = stage.says.take(Number(query.get('said') ?? 0))
  const drawing = { stage, query, said, trail }
  if (path === '') return start(drawing)
  if (path === 'trail') return trails(drawing)
  if (path === 'receivers') return receivers(drawing)
  const opened = pathParts('opened/:id', path)
  if (opened) return openedPage(stage, Number(opened.id))
  const answer = pathParts('opened/:id/answer', path)
  if (answer) return answerOfAddon(stage, Number(answer.id))

  const [first, accountUuid = '', ...rest] = path.split('/')
  const account = first === 'accounts' ? stage.world.findAccount(accountUuid) : null
  return account ? accountPage(drawing, account, rest.join('/')) : null
}

export function lostPage(stage: ConsoleStage, status: number, title: string, words: string): Answer {
  return pageAnswer(status, LostPage({ title, words, clock: clockView(stage) }))
}

async function accountPage(drawing: Drawing, account: AccountView, rest: string): Promise<Answer | null> {
  const { stage, query, said } = drawing
  const { world } = stage
  const clock = clockView(stage)
  const common = { account, clock, said }
  const options = (object: string) => namedOptions(world, account.uuid, object)
  switch (rest) {
    case '':
      return jobsPage(drawing, account)
    case 'office': {
      const lists = { companies: options('company'), materials: options('material'), staff: options('staff') }
      return pageAnswer(200, OfficePage({ ...common, ...lists, trail: trailOf(drawing, account) }))
    }
    case 'outbox':
      return outboxPage(drawing, account)
    case 'webhooks': {
      const subscriptions = [...world.subscriptions(account.uuid)].sort((a, b) => b.createdAt - a.createdAt)
      const connections = world.connections(account.uuid)
      const apiKeys = world.apiKeys(account.uuid)
      return pageAnswer(200, WebhooksPage({ ...common, subscriptions, connections, apiKeys }))
    }
    case 'posts':
      return postsPage(drawing, account)
    case 'opening': {
      const jobs = latestJobs(world, account.uuid, 30).map(
        (job) => [job.uuid, `Job ${job.number} ${job.customer}`] as const,
      )
      const view = { ...common, staff: options('staff'), jobs, otherSite: stage.otherSite }
      return pageAnswer(200, OpeningPage(view), stage.otherSite === '' ? [] : [stage.otherSite])
    }
    case 'payments':
      return pageAnswer(200, PaymentsPage({ ...common, ...paymentsView(stage, account) }))
    case 'opening/note':
      return notePage(stage, account, query)
    case 'switches': {
      const faults = world
        .faults()
        .filter((one) => one.accountUuid === null || one.accountUuid === account.uuid)
        .filter((one) => !one.path.startsWith(FAULT_PREFIX))
      return pageAnswer(200, SwitchesPage({ ...common, faults, options: world.options(account.uuid) }))
    }
  }
  const job = pathParts('jobs/:job', rest)
  if (job) return jobPage(drawing, account, job.job ?? '')
  const file = pathParts('files/:uuid', rest)
  if (file) return fileAnswer(stage, account.uuid, file.uuid ?? '')
  const mail = pathParts('outbox/:id/html', rest)
  return mail ? mailAnswer(stage, account.uuid, Number(mail.id)) : null
}

function start({ stage, said, trail }: Drawing): Answer {
  const { world, origin } = stage
  const accounts = world.accounts().map((account) => ({
    account,
    jobs: latestJobs(world, account.uuid, JOBS_ON_STAGE),
    total: world.records(account.uuid, 'job').length,
    queues: namedOptions(world, account.uuid, 'queue'),
    companies: namedOptions(world, account.uuid, 'company'),
  }))
  const trailZone = accounts.find((one) => one.account.uuid === trail?.accountUuid)?.account.timezone ?? 'UTC'
  return pageAnswer(200, StartPage({ origin, accounts, trail, trailZone, clock: clockView(stage), said }))
}

function jobsPage(drawing: Drawing, account: AccountView): Answer {
  const { stage, query, said } = drawing
  const { world } = stage
  const wanted: JobQuery = {
    search: (query.get('search') ?? '').slice(0, 100),
    status: query.get('status') ?? '',
    page: Math.max(1, Math.floor(Number(query.get('page') ?? 1)) || 1),
  }
  const view = {
    account,
    query: wanted,
    ...findJobs(world, account.uuid, wanted),
    queues: namedOptions(world, account.uuid, 'queue'),
    companies: namedOptions(world, account.uuid, 'company'),
    trail: trailOf(drawing, account),
    clock: clockView(stage),
    said,
  }
  return pageAnswer(200, AccountPage(view))
}

function jobPage(drawing: Drawing, account: AccountView, jobUuid: string): Answer | null {
  const { stage, said } = drawing
  const { world } = stage
  const record = world.findRecord(account.uuid, 'job', jobUuid)
  if (!record) return null
  const hanging = (object: string) => ofJob(world, account.uuid, object, jobUuid)
  const options = (object: string) => namedOptions(world, account.uuid, object)
  const view = {
    account,
    job: jobView(world, account.uuid, record),
    queues: options('queue'),
    staff: options('staff'),
    badges: options('badge'),
    forms: options('form'),
    contacts: hanging('jobcontact'),
    lines: hanging('jobmaterial').reverse(),
    activities: hanging('jobactivity'),
    notes: hanging('note'),
    payments: hanging('jobpayment'),
    tasks: hanging('task'),
    files: hanging('attachment').map((one) => ({
      record: one,
      stored: world.fileOf(account.uuid, one.uuid) !== null,
    })),
    answers: hanging('formresponse'),
    conversation: world.conversation(account.uuid, jobUuid),
    trail: trailOf(drawing, account),
    clock: clockView(stage),
    said,
  }
  return pageAnswer(200, JobPage(view))
}

function outboxPage({ stage, query, said }: Drawing, account: AccountView): Answer {
  const { world } = stage
  const all = world.outbox(account.uuid)
  const counts: Partial<Record<OutboxItem['kind'], number>> = {}
  for (const item of all) counts[item.kind] = (counts[item.kind] ?? 0) + 1
  const kind = query.get('kind') ?? ''
  const view = {
    account,
    items: kind === '' ? all : all.filter((item) => item.kind === kind),
    kind,
    counts,
    staff: new Map(world.records(account.uuid, 'staff').map((one) => [one.uuid, nameOf(one)])),
    jobs: new Map(world.records(account.uuid, 'job').map((one) => [one.uuid, text(one.generated_job_id)])),
    clock: clockView(stage),
    said,
  }
  return pageAnswer(200, OutboxPage(view))
}

function postsPage({ stage, said }: Drawing, account: AccountView): Answer {
  const { world } = stage
  const deliveries = world.deliveries(account.uuid, POSTS_SHOWN)
  const names = new Map<string, string>()
  for (const { subject, recordUuid, kind } of deliveries) {
    const object = kind === 'event' ? 'job' : subject
    const record = world.findRecord(account.uuid, object, recordUuid)
    if (record) names.set(recordUuid, calledOf(stage, account, object, record))
  }
  return pageAnswer(200, PostsPage({ account, deliveries, names, clock: clockView(stage), said }))
}

/** `Job 3128`, `of job 3128`, or the record's own name. */
function calledOf({ world }: ConsoleStage, account: AccountView, object: string, record: SandboxRecord): string {
  if (object === 'job') return `Job ${text(record.generated_job_id)}`
  const jobUuid = text(record.job_uuid || record.related_object_uuid || record.regarding_object_uuid)
  const job = world.findRecord(account.uuid, 'job', jobUuid)
  return job ? `of job ${text(job.generated_job_id)}` : nameOf(record)
}

async function notePage(stage: ConsoleStage, account: AccountView, query: URLSearchParams): Promise<Answer> {
  const part = (name: string) => query.get(name) || undefined
  const input = { staffUuid: part('staff'), jobUuid: part('job'), event: part('event') }
  const { jwt, postTo } = await stage.world.signOpening(account.uuid, input)
  const claims = JSON.stringify(JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8')), null, 2)
  return pageAnswer(200, SignedNotePage({ account, jwt, postTo, claims, clock: clockView(stage) }))
}

function openedPage(stage: ConsoleStage, id: number): Answer {
  const opened = stage.openings.find(id)
  if (!opened) return lostPage(stage, 404, 'This opening is over', 'Open the add-on again from the account’s page.')
  return pageAnswer(200, OpenedPage({ opened: { id, ...opened }, clock: clockView(stage) }), [stage.origin])
}

function trails({ stage, said }: Drawing): Answer {
  const view = { trails: stage.trails.all(), accounts: stage.world.accounts(), clock: clockView(stage), said }
  return pageAnswer(200, TrailsPage(view))
}

function receivers({ stage, said }: Drawing): Answer {
  const { log } = stage.receiver
  const list = log.names().map((name) => ({ name, total: log.total(name), lastAt: log.requests(name)[0]?.at ?? null }))
  return pageAnswer(200, ReceiversPage({ origin: stage.origin, receivers: list, clock: clockView(stage), said }))
}

/** A trail of another account is not shown on this account's pages. */
function trailOf({ trail }: Drawing, account: AccountView): Trail | null {
  return trail?.accountUuid === account.uuid ? trail : null
}
