// Every form of the stage: its action and the page that follows.
import { PRESETS } from '../receiver/behaviour.ts'
import { receiverName } from '../receiver/received.ts'
import { FAULT_PREFIX } from '../stripe/stripe-options.ts'
import type { AccountView } from '../world.ts'
import { backOf, fieldOf, numberOf, pathParts, withParam } from './form.ts'
import { type Done, doToJob, failed, followed } from './job-actions.server.ts'
import { nameOf, text } from './job-view.ts'
import { CLOCK_STEPS } from './layout.tsx'
import { readFault, readOptions } from './options-form.ts'
import { doToPayments } from './payments.server.ts'
import type { ConsoleStage } from './stage.server.ts'
import { clockWords, countWords, moneyWords, placeOf } from './words.ts'

interface AccountAction {
  stage: ConsoleStage
  account: AccountView
  form: URLSearchParams
}

/** @param path the part after `/sandbox/console/`. Returns the browser's next address, or null for an unknown form. */
export async function act(stage: ConsoleStage, path: string, form: URLSearchParams): Promise<string | null> {
  const back = backOf(form)
  const done = await doIt(stage, path, form)
  switch (done.outcome) {
    case 'trail':
      return withParam(back, 'trail', String(done.id), 'trail')
    case 'said':
      return withParam(back, 'said', String(stage.says.put({ tone: done.tone, text: done.text })))
    case 'go':
      return done.to
    case 'nothing_there':
      return null
  }
}

async function doIt(stage: ConsoleStage, path: string, form: URLSearchParams): Promise<Done> {
  if (path === 'clock') return moveClock(stage, form)
  const receiver = pathParts('receivers/:name/:action', path)
  if (receiver) return doToReceiver(stage, receiver.name ?? '', receiver.action ?? '', form)

  const [, accountUuid = ''] = path.split('/')
  const account = path.startsWith('accounts/') ? stage.world.findAccount(accountUuid) : null
  if (!account) return { outcome: 'nothing_there' }
  const rest = path.split('/').slice(2).join('/')

  const onJob = pathParts('jobs/:job/:action', rest)
  if (onJob) {
    const job = stage.world.findRecord(accountUuid, 'job', onJob.job ?? '')
    return job ? doToJob(onJob.action ?? '', { stage, account, job, form }) : { outcome: 'nothing_there' }
  }
  const onPayments = pathParts('payments/:action', rest)
  if (onPayments) return doToPayments(stage, onPayments.action ?? '', form) ?? { outcome: 'nothing_there' }
  const subscription = pathParts('subscriptions/:uuid/deactivate', rest)
  if (subscription) return switchOff(stage, account, subscription.uuid ?? '')
  const doIt = Object.hasOwn(ACCOUNT_ACTIONS, rest) ? ACCOUNT_ACTIONS[rest] : undefined
  return doIt ? doIt({ stage, account, form }) : { outcome: 'nothing_there' }
}

const ACCOUNT_ACTIONS: Readonly<Record<string, (input: AccountAction) => Done | Promise<Done>>> = {
  jobs: createJob,
  company: ({ stage, account, form }) => {
    const name = fieldOf(form, 'name')
    return followed(stage, {
      accountUuid: account.uuid,
      sentence: `${name} is a customer now.`,
      act: () => stage.world.create(account.uuid, 'company', { name, address: fieldOf(form, 'address') }),
    })
  },
  'company-change': ({ stage, account, form }) => {
    const uuid = fieldOf(form, 'company')
    const before = stage.world.findRecord(account.uuid, 'company', uuid)
    const name = fieldOf(form, 'name')
    return followed(stage, {
      accountUuid: account.uuid,
      sentence: `${before ? nameOf(before) : 'The customer'} is called ${name} now.`,
      act: () => stage.world.update(account.uuid, 'company', uuid, { name }),
    })
  },
  price: ({ stage, account, form }) => {
    const price = numberOf(form, 'price', { min: 0, max: 1_000_000 })
    if (price === null) return failed('A price is a number from 0 to 1000000.')
    const uuid = fieldOf(form, 'material')
    const material = stage.world.findRecord(account.uuid, 'material', uuid)
    return followed(stage, {
      accountUuid: account.uuid,
      sentence: `${material ? nameOf(material) : 'The material'} costs ${moneyWords(price, account.currency)} now.`,
      act: () => stage.world.update(account.uuid, 'material', uuid, { price: price.toFixed(2) }),
    })
  },
  'working-day': ({ stage, account, form }) => {
    const way = fieldOf(form, 'way') === 'off' ? 'off' : 'on'
    return followed(stage, {
      accountUuid: account.uuid,
      sentence: (staff) => `${nameOf(staff)} has clocked ${way}.`,
      act: () => stage.world.clockStaff(account.uuid, fieldOf(form, 'staff'), way),
    })
  },
  inbox: ({ stage, account, form }) =>
    followed(stage, {
      accountUuid: account.uuid,
      sentence: `A message from ${fieldOf(form, 'from')} arrived in the inbox.`,
      act: () =>
        stage.world.receiveInboxMessage(account.uuid, {
          from: fieldOf(form, 'from'),
          fromEmail: fieldOf(form, 'email'),
          subject: fieldOf(form, 'subject'),
          text: fieldOf(form, 'text'),
        }),
    }),
  reset: ({ stage, account, form }) => {
    if (!form.has('sure')) return failed('Tick the box first: what was changed cannot be brought back.')
    stage.world.resetRecords(account.uuid)
    return well(`${account.name} is as it was on the first day.`)
  },
  retry: ({ stage, account, form }) => {
    const count = stage.world.retryDeliveriesNow(account.uuid)
    const trailId = numberOf(form, 'trail', { min: 1, max: Number.MAX_SAFE_INTEGER })
    if (trailId !== null) return { outcome: 'trail', id: trailId }
    return count === 0
      ? { outcome: 'said', tone: 'attention', text: 'No post was waiting.' }
      : well(`${countWords(count, 'post is', 'posts are')} being sent again.`)
  },
  expire: ({ stage, account }) => {
    stage.world.expireAccessTokens(account.uuid)
    return well('The access token has ended. Fieldhook must renew it at its next call.')
  },
  revoke: ({ stage, account }) => {
    stage.world.removeAddon(account.uuid)
    return well(`${account.name} has removed the add-on: every token is dead and every subscription has ended.`)
  },
  key: ({ stage, account }) => well(`The key is ${stage.world.makeApiKey(account.uuid)} and is shown this once.`),
  'remove-keys': ({ stage, account }) => {
    stage.world.removeApiKeys(account.uuid)
    return well('Every key is taken back. What was subscribed with one has ended.')
  },
  options: ({ stage, account, form }) => {
    const read = readOptions(form)
    if (read.outcome === 'bad') return failed(`${read.sentence} Nothing was saved.`)
    stage.world.setOptions(account.uuid, read.options)
    return well('The switches are saved.')
  },
  fault: ({ stage, account, form }) => {
    const wish = readFault(form)
    if (!wish) return failed('That fault is not one of the choices. Nothing was changed.')
    const { anybody, ...rule } = wish
    stage.world.addFault({ ...rule, accountUuid: anybody ? null : account.uuid })
    return well(`${countWords(wish.times, 'call', 'calls')} will go wrong.`)
  },
  'clear-faults': ({ stage, account }) => {
    const others = stage.world
      .faults()
      .filter(
        (one) => (one.accountUuid !== account.uuid && one.accountUuid !== null) || one.path.startsWith(FAULT_PREFIX),
      )
    stage.world.clearFaults()
    for (const { accountUuid, method, path, effect, left } of others) {
      stage.world.addFault({ accountUuid, method, path, effect, times: left })
    }
    return well('Every call works again.')
  },
  opening: openAddon,
}

function createJob({ stage, account, form }: AccountAction): Done {
  const status = fieldOf(form, 'status') === 'Work Order' ? 'Work Order' : 'Quote'
  return followed(stage, {
    accountUuid: account.uuid,
    sentence: (job) => `Job ${text(job.generated_job_id)} was created as ${text(job.status)}.`,
    act: () =>
      stage.world.addJob(account.uuid, {
        status,
        companyUuid: fieldOf(form, 'company'),
        description: fieldOf(form, 'description'),
      }),
  })
}

/** Posts the signed JWT as the platform's server does, then shows the answer in the requested way. */
async function openAddon({ stage, account, form }: AccountAction): Promise<Done> {
  const staffUuid = fieldOf(form, 'staff') || account.ownerStaffUuid
  const jobUuid = fieldOf(form, 'job')
  const input = { staffUuid, jobUuid: jobUuid || undefined, event: fieldOf(form, 'event') || undefined }
  const how = fieldOf(form, 'how')
  if (how === 'token') {
    const query = new URLSearchParams({ staff: staffUuid, job: jobUuid, event: input.event ?? '' })
    return { outcome: 'go', to: `/sandbox/console/accounts/${account.uuid}/opening/note?${query}` }
  }
  const staff = stage.world.findRecord(account.uuid, 'staff', staffUuid)
  const answer = await stage.world.postOpening(account.uuid, input)
  const who = staff ? nameOf(staff) : 'somebody'
  const id = stage.openings.put({ account: { uuid: account.uuid, name: account.name }, who, answer })
  const page = `/sandbox/console/opened/${id}`
  if (how === 'tab' && answer.status !== null) return { outcome: 'go', to: answer.location || `${page}/answer` }
  return { outcome: 'go', to: how === 'other-site' && stage.otherSite !== '' ? `${stage.otherSite}${page}` : page }
}

function switchOff(stage: ConsoleStage, account: AccountView, uuid: string): Done {
  const subscription = stage.world.subscriptions(account.uuid).find((one) => one.uuid === uuid)
  if (!subscription || !stage.world.deactivateSubscription(account.uuid, uuid)) return { outcome: 'nothing_there' }
  return well(`The platform has switched off the subscription to ${subscription.subject}.`)
}

function moveClock(stage: ConsoleStage, form: URLSearchParams): Done {
  const step = CLOCK_STEPS.find((one) => one.key === fieldOf(form, 'by'))
  if (!step) return { outcome: 'nothing_there' }
  stage.world.advanceClock(step.ms)
  const zone = stage.world.accounts()[0]?.timezone ?? 'UTC'
  return well(
    `The clock moved forward by ${step.words}: it is ${clockWords(stage.clock.now(), zone)} in ${placeOf(zone)}.`,
  )
}

function doToReceiver(stage: ConsoleStage, rawName: string, action: string, form: URLSearchParams): Done {
  const name = receiverName(rawName)
  if (!name) return { outcome: 'nothing_there' }
  const { log } = stage.receiver
  const said = (did: string): Done => ({ outcome: 'go', to: `/sandbox/receiver/${name}?did=${did}` })
  switch (action) {
    case 'clear':
      log.clear(name)
      return said('cleared')
    case 'behaviour': {
      const preset = PRESETS.find((one) => one.query === (form.get('behaviour') ?? ''))
      if (!preset) return { outcome: 'nothing_there' }
      log.setBehaviour(name, preset.query)
      return said('behaviour')
    }
    case 'secret':
      return said(log.addSecret(name, fieldOf(form, 'secret')) === 'added' ? 'secret-added' : 'not-a-secret')
    case 'forget-secrets':
      log.forgetSecrets(name)
      return said('secrets-forgotten')
    default:
      return { outcome: 'nothing_there' }
  }
}

function well(words: string): Done {
  return { outcome: 'said', tone: 'working', text: words }
}
