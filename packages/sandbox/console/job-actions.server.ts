// A person's actions on a job in the platform, by the last part of the form's address.
import { type AccountView, type ChangeResult, JOB_STATUSES, type JobStatus, type SandboxRecord } from '../world.ts'
import { fieldOf, numberOf } from './form.ts'
import { nameOf, text } from './job-view.ts'
import type { ConsoleStage } from './stage.server.ts'
import { moneyWords } from './words.ts'

export type Done =
  /** The action is followed: the page shows its trail. */
  | { outcome: 'trail'; id: number }
  | { outcome: 'said'; tone: 'working' | 'failing' | 'attention'; text: string }
  | { outcome: 'go'; to: string }
  | { outcome: 'nothing_there' }

interface JobAction {
  stage: ConsoleStage
  account: AccountView
  job: SandboxRecord
  form: URLSearchParams
}

type Act = (input: JobAction) => Done

const PAID_AT_MOST = 1_000_000

const ACTIONS: Readonly<Record<string, Act>> = {
  status: changeStatus,
  note: (input) =>
    withText(input, 'text', 'A note needs some words.', (words) =>
      did(input, `A note was added to ${called(input)}.`, (world, account, job) => world.addNote(account, job, words)),
    ),
  description: changeDescription,
  queue: moveToQueue,
  payment: recordPayment,
  schedule: (input) =>
    did(input, `${called(input)} was booked for tomorrow with ${staffName(input)}.`, (world, account, job) =>
      world.schedule(account, job, { staffUuid: fieldOf(input.form, 'staff') }),
    ),
  'check-in': (input) =>
    did(input, `${staffName(input)} checked in on ${called(input)}.`, (world, account, job) =>
      world.checkIn(account, job, fieldOf(input.form, 'staff')),
    ),
  'check-out': (input) =>
    did(input, `The last person there checked out of ${called(input)}.`, (world, account, job) =>
      world.checkOut(account, job),
    ),
  material: addLine,
  contact: addContact,
  'remove-contact': removeContact,
  task: (input) =>
    withText(input, 'name', 'A task needs a name.', (name) =>
      did(input, `The task “${name}” was added to ${called(input)}.`, (world, account, job) =>
        world.create(account, 'task', {
          name,
          related_object: 'job',
          related_object_uuid: job,
          due_date: input.account.localNow.slice(0, 10),
          assigned_to_staff_uuid: fieldOf(input.form, 'staff'),
        }),
      ),
    ),
  badge: (input) => changeBadge(input, 'on'),
  unbadge: (input) => changeBadge(input, 'off'),
  form: (input) =>
    did(input, `A form was filled in on ${called(input)}.`, (world, account, job) =>
      world.submitForm(account, job, fieldOf(input.form, 'form') || undefined),
    ),
  photo: (input) =>
    withText(input, 'name', 'A photo needs a name.', (name) =>
      did(input, `The photo “${name}” was added to ${called(input)}.`, (world, account, job) =>
        world.addPhoto(account, job, name),
      ),
    ),
  'quote-sent': (input) =>
    did(input, `The quote of ${called(input)} was sent.`, (world, account, job) => world.markQuoteSent(account, job)),
  'invoice-sent': (input) =>
    did(input, `The invoice of ${called(input)} was sent.`, (world, account, job) =>
      world.markInvoiceSent(account, job),
    ),
  answers: customerAnswers,
  opens: (input) =>
    heard(input, 'The customer opened the e-mail.', (world, account, row) => world.openEmail(account, row)),
  bounces: (input) => heard(input, 'The e-mail came back.', (world, account, row) => world.bounceEmail(account, row)),
  delete: (input) =>
    did(input, `${called(input)} was deleted.`, (world, account, job) => world.remove(account, 'job', job)),
  restore: (input) =>
    did(input, `${called(input)} is back.`, (world, account, job) => world.update(account, 'job', job, { active: 1 })),
}

/** @param action the last part of the form's address */
export function doToJob(action: string, input: JobAction): Done {
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  return act ? act(input) : { outcome: 'nothing_there' }
}

function changeStatus(input: JobAction): Done {
  const status = fieldOf(input.form, 'status')
  if (!isStatus(status)) return { outcome: 'nothing_there' }
  const before = text(input.job.status)
  if (before === status) return unchanged(`${called(input)} is ${status} already`)
  return did(input, `${called(input)} changed from ${before} to ${status}.`, (world, account, job) =>
    world.setJobStatus(account, job, status),
  )
}

function changeDescription(input: JobAction): Done {
  const words = fieldOf(input.form, 'text')
  if (words === text(input.job.job_description))
    return unchanged(`The description of ${called(input)} says that already`)
  return did(input, `The description of ${called(input)} was edited.`, (world, account, job) =>
    world.update(account, 'job', job, { job_description: words }),
  )
}

function moveToQueue(input: JobAction): Done {
  const queueUuid = fieldOf(input.form, 'queue')
  if (queueUuid === text(input.job.queue_uuid)) return unchanged(`${called(input)} is there already`)
  const queue = input.stage.world.findRecord(input.account.uuid, 'queue', queueUuid)
  const sentence = queue
    ? `${called(input)} was moved to the queue “${nameOf(queue)}”.`
    : `${called(input)} left its queue.`
  return did(input, sentence, (world, account, job) => world.sendToQueue(account, job, queueUuid || null))
}

function recordPayment(input: JobAction): Done {
  const amount = numberOf(input.form, 'amount', { min: 0.01, max: PAID_AT_MOST })
  if (amount === null) return failed(`A payment is an amount from 0.01 to ${PAID_AT_MOST}.`)
  const method = fieldOf(input.form, 'method') || 'Card'
  const sentence = `${moneyWords(amount, input.account.currency)} was paid for ${called(input)} (${method}).`
  return did(input, sentence, (world, account, job) => world.addPayment(account, job, amount, method))
}

function addLine(input: JobAction): Done {
  const quantity = numberOf(input.form, 'quantity', { min: 0.01, max: 100_000 })
  const price = numberOf(input.form, 'price', { min: 0, max: PAID_AT_MOST })
  const name = fieldOf(input.form, 'name')
  if (name === '' || quantity === null || price === null) return failed('A line needs a name, a quantity and a price.')
  const sentence = `The line “${name}” was added to ${called(input)}.`
  return did(
    input,
    sentence,
    (world, account, job) => world.addMaterial(account, job, { name, quantity, price }),
    'jobmaterial',
  )
}

function customerAnswers({ stage, account, job, form }: JobAction): Done {
  const channel = fieldOf(form, 'channel') === 'email' ? 'email' : 'sms'
  const answer = { channel, from: fieldOf(form, 'from'), text: fieldOf(form, 'text') } as const
  const result = stage.world.customerAnswers(account.uuid, job.uuid, answer)
  return result.outcome === 'refused' ? failed(result.message) : said(`The customer answered “${answer.text}”.`)
}

/** No webhook follows: the add-on has to look. */
function heard(
  { stage, account, form }: JobAction,
  words: string,
  act: (world: ConsoleStage['world'], accountUuid: string, rowUuid: string) => ChangeResult,
): Done {
  const result = act(stage.world, account.uuid, fieldOf(form, 'row'))
  return result.outcome === 'refused' ? failed(result.message) : said(words)
}

function said(words: string): Done {
  return { outcome: 'said', tone: 'working', text: `${words} Fieldhook sees it at its next look.` }
}

const CONTACT_TYPES = new Set(['JOB', 'BILLING', 'Property Manager'])

function addContact(input: JobAction): Done {
  const [first, last, mobile, email, type] = ['first', 'last', 'mobile', 'email', 'type'].map((name) =>
    fieldOf(input.form, name),
  ) as [string, string, string, string, string]
  const name = `${first} ${last}`.trim()
  if (name === '') return failed('A contact needs a name.')
  const values = { first, last, mobile, email, type: CONTACT_TYPES.has(type) ? type : 'JOB' }
  const sentence = `${name} was added to ${called(input)} as a contact.`
  return did(
    input,
    sentence,
    (world, account, job) => world.create(account, 'jobcontact', { job_uuid: job, ...values }),
    'jobcontact',
  )
}

function removeContact(input: JobAction): Done {
  const uuid = fieldOf(input.form, 'contact')
  const contact = input.stage.world.findRecord(input.account.uuid, 'jobcontact', uuid)
  if (!contact || contact.job_uuid !== input.job.uuid) return { outcome: 'nothing_there' }
  const name = `${text(contact.first)} ${text(contact.last)}`.trim()
  const sentence = `${name} is no longer a contact of ${called(input)}.`
  return did(input, sentence, (world, account) => world.remove(account, 'jobcontact', uuid), 'jobcontact')
}

function changeBadge(input: JobAction, way: 'on' | 'off'): Done {
  const uuid = fieldOf(input.form, 'badge')
  const badge = input.stage.world.findRecord(input.account.uuid, 'badge', uuid)
  if (!badge) return failed('There is no such badge.')
  const sentence =
    way === 'on'
      ? `The badge “${nameOf(badge)}” was put on ${called(input)}.`
      : `The badge “${nameOf(badge)}” was taken off ${called(input)}.`
  return did(input, sentence, (world, account, job) =>
    way === 'on' ? world.addBadge(account, job, uuid) : world.removeBadge(account, job, uuid),
  )
}

function did(
  { stage, account, job }: JobAction,
  sentence: string,
  act: (world: ConsoleStage['world'], accountUuid: string, jobUuid: string) => ChangeResult,
  object = '',
): Done {
  return followed(stage, {
    accountUuid: account.uuid,
    jobUuid: job.uuid,
    object,
    sentence,
    act: () => act(stage.world, account.uuid, job.uuid),
  })
}

/** Performs an action and records its trail; a refusal is shown in the platform's own words. */
export function followed(stage: ConsoleStage, doing: Parameters<ConsoleStage['trails']['follow']>[0]): Done {
  const result = stage.trails.follow(doing)
  if (result.outcome === 'followed') return { outcome: 'trail', id: result.id }
  return failed(`The platform refused: ${result.message} (${result.status}). Nothing was changed.`)
}

export function failed(words: string): Done {
  return { outcome: 'said', tone: 'failing', text: words }
}

function unchanged(words: string): Done {
  return { outcome: 'said', tone: 'attention', text: `${words}. Nothing changed, so no webhook was posted.` }
}

function withText(input: JobAction, name: string, otherwise: string, act: (words: string) => Done): Done {
  const words = fieldOf(input.form, name)
  return words === '' ? failed(otherwise) : act(words)
}

function called({ job }: JobAction): string {
  return `Job ${text(job.generated_job_id) || '–'}`
}

function staffName({ stage, account, form }: JobAction): string {
  const staff = stage.world.findRecord(account.uuid, 'staff', fieldOf(form, 'staff') || account.ownerStaffUuid)
  return staff ? nameOf(staff) : 'somebody'
}

function isStatus(value: string): value is JobStatus {
  return JOB_STATUSES.some((status) => status === value)
}
