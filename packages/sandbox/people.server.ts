// A person working inside the pretend platform: shortcuts for the changes a trade business makes all day.
import { hours } from '#app/lib/duration.ts'
import { findRecord, ownerOf, recordsOf, zoneOf } from './accounts.server.ts'
import { findObject } from './servicem8/catalog.ts'
import { badgesOf } from './servicem8/events.ts'
import { storeFile } from './servicem8/files/attachments.server.ts'
import { jpegBytes } from './servicem8/files/document-bytes.ts'
import { localText, UNSET_TIME } from './servicem8/local-time.ts'
import { addToHistory, changeEmail, recordOutbox, showLateHistory } from './servicem8/outbox.server.ts'
import { createRecord, removeRecord, updateRecord } from './servicem8/records.server.ts'
import type { AccountState, Stage } from './state.server.ts'
import type { ChangeResult, World } from './world.ts'

type People = Pick<
  World,
  | 'create'
  | 'update'
  | 'remove'
  | 'addJob'
  | 'setJobStatus'
  | 'addNote'
  | 'addPhoto'
  | 'addMaterial'
  | 'addPayment'
  | 'sendToQueue'
  | 'addBadge'
  | 'removeBadge'
  | 'markQuoteSent'
  | 'acceptQuote'
  | 'markInvoiceSent'
  | 'schedule'
  | 'checkIn'
  | 'checkOut'
  | 'submitForm'
  | 'clockStaff'
  | 'receiveInboxMessage'
  | 'conversation'
  | 'customerAnswers'
  | 'openEmail'
  | 'bounceEmail'
>

type Values = Record<string, unknown>

export function createPeople(stage: Stage): People {
  function withAccount(accountUuid: string, act: (account: AccountState) => ChangeResult): ChangeResult {
    const account = stage.state.accounts.get(accountUuid)
    return account ? act(account) : missing('There is no such account')
  }

  function create(accountUuid: string, object: string, values: Values, by?: string): ChangeResult {
    const fact = findObject(object)
    if (!fact) return { outcome: 'refused', status: 400, message: `${object} is not an authorised object type` }
    return withAccount(accountUuid, (account) => {
      const result = createRecord(stage, account, fact, values, { staffUuid: by })
      if (result.outcome === 'done') recordOutbox(stage, account, fact.key, result.record, values)
      return result
    })
  }

  function update(accountUuid: string, object: string, uuid: string, values: Values, by?: string): ChangeResult {
    const fact = findObject(object)
    if (!fact) return missing('There is no such object')
    return withAccount(accountUuid, (account) => updateRecord(stage, account, fact, uuid, values, { staffUuid: by }))
  }

  function changeJob(accountUuid: string, jobUuid: string, values: Values): ChangeResult {
    return update(accountUuid, 'job', jobUuid, values)
  }

  /** Creates a record that belongs to a job; refused when the job does not exist. */
  function addToJob(accountUuid: string, jobUuid: string, object: string, values: Values): ChangeResult {
    return withAccount(accountUuid, (account) =>
      findRecord(account, 'job', jobUuid) ? create(accountUuid, object, values) : missing('There is no such job'),
    )
  }

  function changeBadges(
    accountUuid: string,
    jobUuid: string,
    change: (badges: readonly string[]) => string[],
  ): ChangeResult {
    return withAccount(accountUuid, (account) => {
      const job = findRecord(account, 'job', jobUuid)
      if (!job) return missing('There is no such job')
      return changeJob(accountUuid, jobUuid, { badges: JSON.stringify(change(badgesOf(job.badges))) })
    })
  }

  return {
    create,
    update,
    remove(accountUuid, object, uuid, by) {
      const fact = findObject(object)
      if (!fact) return missing('There is no such object')
      return withAccount(accountUuid, (account) => removeRecord(stage, account, fact, uuid, { staffUuid: by }))
    },
    addJob(accountUuid, job) {
      return withAccount(accountUuid, (account) => {
        const company = findRecord(account, 'company', job.companyUuid ?? '')
        const usual = String(findRecord(account, 'vendor', account.uuid)?.job_default_status || 'Quote')
        return create(accountUuid, 'job', {
          status: job.status ?? usual,
          company_uuid: company?.uuid ?? '',
          job_description: job.description ?? '',
          job_address: job.address ?? company?.address ?? '',
          billing_address: company?.billing_address ?? '',
          category_uuid: job.categoryUuid ?? '',
        })
      })
    },
    setJobStatus: (accountUuid, jobUuid, status) => changeJob(accountUuid, jobUuid, { status }),
    addNote: (accountUuid, jobUuid, text) =>
      addToJob(accountUuid, jobUuid, 'note', { related_object: 'job', related_object_uuid: jobUuid, note: text }),
    addPhoto(accountUuid, jobUuid, name = 'Site photo.jpg') {
      const made = addToJob(accountUuid, jobUuid, 'attachment', {
        related_object: 'job',
        related_object_uuid: jobUuid,
        attachment_name: name,
        file_type: '.jpg',
        attachment_source: 'MOBILE',
      })
      const account = stage.state.accounts.get(accountUuid)
      if (made.outcome === 'done' && account) storeFile(stage, account, made.record.uuid, jpegBytes())
      return made
    },
    addMaterial: (accountUuid, jobUuid, line) =>
      addToJob(accountUuid, jobUuid, 'jobmaterial', {
        job_uuid: jobUuid,
        name: line.name,
        quantity: String(line.quantity),
        price: line.price.toFixed(2),
        displayed_amount: line.price.toFixed(2),
      }),
    addPayment: (accountUuid, jobUuid, amount, method = 'Card') =>
      addToJob(accountUuid, jobUuid, 'jobpayment', { job_uuid: jobUuid, amount: amount.toFixed(2), method }),
    sendToQueue(accountUuid, jobUuid, queueUuid, staffUuid) {
      return withAccount(accountUuid, (account) => {
        if (queueUuid !== null && !findRecord(account, 'queue', queueUuid)) return missing('There is no such queue')
        return changeJob(accountUuid, jobUuid, {
          queue_uuid: queueUuid ?? '',
          ...(queueUuid !== null && staffUuid ? { queue_assigned_staff_uuid: staffUuid } : {}),
        })
      })
    },
    addBadge: (accountUuid, jobUuid, badgeUuid) =>
      changeBadges(accountUuid, jobUuid, (badges) => [...new Set([...badges, badgeUuid])]),
    removeBadge: (accountUuid, jobUuid, badgeUuid) =>
      changeBadges(accountUuid, jobUuid, (badges) => badges.filter((one) => one !== badgeUuid)),
    markQuoteSent: (accountUuid, jobUuid) => changeJob(accountUuid, jobUuid, { quote_sent: 1 }),
    acceptQuote: (accountUuid, jobUuid) => changeJob(accountUuid, jobUuid, { status: 'Work Order' }),
    markInvoiceSent: (accountUuid, jobUuid) => changeJob(accountUuid, jobUuid, { invoice_sent: 1 }),
    schedule(accountUuid, jobUuid, booking = {}) {
      return withAccount(accountUuid, (account) => {
        const tomorrow = stage.clock.now() + hours(24)
        return addToJob(accountUuid, jobUuid, 'jobactivity', {
          job_uuid: jobUuid,
          staff_uuid: booking.staffUuid || ownerOf(account),
          start_date: booking.start ?? localText(tomorrow, zoneOf(account)),
          end_date: booking.end ?? localText(tomorrow + hours(2), zoneOf(account)),
          activity_was_scheduled: '1',
        })
      })
    },
    checkIn(accountUuid, jobUuid, staffUuid) {
      return withAccount(accountUuid, (account) =>
        addToJob(accountUuid, jobUuid, 'jobactivity', {
          job_uuid: jobUuid,
          staff_uuid: staffUuid || ownerOf(account),
          start_date: localText(stage.clock.now(), zoneOf(account)),
          activity_was_recorded: '1',
        }),
      )
    },
    checkOut(accountUuid, jobUuid) {
      return withAccount(accountUuid, (account) => {
        const open = recordsOf(account, 'jobactivity').findLast(
          (one) =>
            one.job_uuid === jobUuid &&
            Number(one.activity_was_recorded) === 1 &&
            (one.end_date === '' || one.end_date === UNSET_TIME),
        )
        if (!open) return missing('Nobody is checked in on this job')
        const end_date = localText(stage.clock.now(), zoneOf(account))
        return update(accountUuid, 'jobactivity', open.uuid, { end_date })
      })
    },
    submitForm(accountUuid, jobUuid, formUuid) {
      return withAccount(accountUuid, (account) => {
        const form = formUuid ? findRecord(account, 'form', formUuid) : recordsOf(account, 'form')[0]
        if (!form) return missing('There is no such form')
        return addToJob(accountUuid, jobUuid, 'formresponse', {
          form_uuid: form.uuid,
          staff_uuid: ownerOf(account),
          regarding_object: 'job',
          regarding_object_uuid: jobUuid,
          field_data: JSON.stringify([{ Question: 'Site safe to work?', Response: 'Yes', SortOrder: 1 }]),
        })
      })
    },
    clockStaff(accountUuid, staffUuid, way) {
      return withAccount(accountUuid, (account) => {
        const staff = findRecord(account, 'staff', staffUuid)
        if (!staff) return missing('There is no such staff member')
        stage.raise(account, { type: `staff.clocked_${way}`, object: 'staff', uuid: staff.uuid })
        return { outcome: 'done', record: staff }
      })
    },
    receiveInboxMessage: (accountUuid, message) =>
      create(accountUuid, 'inboxmessage', {
        from_name: message.from,
        from_email: message.fromEmail,
        subject: message.subject,
        message_text: message.text,
        message_type: 'email',
      }),
    ...createCustomers(stage, withAccount),
  }
}

type Customers = Pick<People, 'conversation' | 'customerAnswers' | 'openEmail' | 'bounceEmail'>

function createCustomers(
  stage: Stage,
  withAccount: (accountUuid: string, act: (account: AccountState) => ChangeResult) => ChangeResult,
): Customers {
  return {
    conversation(accountUuid, jobUuid) {
      const account = stage.state.accounts.get(accountUuid)
      if (!account) return []
      showLateHistory(stage, account)
      const shown = (['sms', 'email'] as const).flatMap((channel) =>
        recordsOf(account, channel).map((row) => ({ channel, row, shown: true })),
      )
      const late = account.lateHistory.map(({ channel, row }) => ({ channel, row, shown: false }))
      return [...shown, ...late]
        .filter(({ row }) => row.related_object_uuid === jobUuid)
        .sort((a, b) => String(b.row.timestamp).localeCompare(String(a.row.timestamp)))
    },
    customerAnswers(accountUuid, jobUuid, { channel, from, text }) {
      return withAccount(accountUuid, (account) => {
        const job = findRecord(account, 'job', jobUuid)
        if (!job) return missing('There is no such job')
        if (text.trim() === '') return { outcome: 'refused', status: 400, message: 'An answer needs some words' }
        const subject = channel === 'email' ? { subject: 'Re: your message' } : {}
        addToHistory(stage, account, channel, jobUuid, { direction: 'inbound', from, message: text, ...subject })
        return { outcome: 'done', record: job }
      })
    },
    openEmail: (accountUuid, rowUuid) =>
      withAccount(accountUuid, (account) => changeEmail(stage, account, rowUuid, 'opened')),
    bounceEmail: (accountUuid, rowUuid) =>
      withAccount(accountUuid, (account) => changeEmail(stage, account, rowUuid, 'bounced')),
  }
}

function missing(message: string): ChangeResult {
  return { outcome: 'refused', status: 404, message }
}
