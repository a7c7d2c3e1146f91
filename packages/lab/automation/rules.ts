// Rules for proofs: any actions in any order; every text has a mark, so that everything that arrives can be told apart.
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import type { ActionParameters, RuleDefinition, Step } from '#app/domain/automations/rule.ts'
import { aRule, aStep, QUEUE, STAFF } from '#tests/support/automation-world.server.ts'
import type { Chance } from '../stage/chance.ts'

export const NOTIFIED = 'https://hook.example.com/runs'
export const MATERIAL = '77777777-0000-4000-8000-00000000000c'

type Kind = readonly [type: ActionType, parameters: (mark: string) => ActionParameters]

const KINDS: readonly Kind[] = [
  ['send_sms', (mark) => ({ to: '{entry.0.contact_mobile}', message: `Text ${mark} to {entry.0.contact_first_name}` })],
  ['send_sms', (mark) => ({ to: '+447700911111, +447700922222', message: `Texts ${mark}`, linkToJob: true })],
  [
    'send_email',
    (mark) => ({
      contentType: 'manual',
      to: '{entry.0.contact_email}',
      customSubject: `Mail ${mark}`,
      customBody: `Mail ${mark}`,
    }),
  ],
  ['update_job_status', () => ({ status: 'Work Order' })],
  ['assign_to_queue', () => ({ queueUuid: QUEUE })],
  ['update_job_field', (mark) => ({ fieldName: 'purchase_order_number', fieldValue: mark })],
  [
    'create_job',
    (mark) => ({
      company_uuid: '{company_uuid}',
      status: 'Quote',
      job_description: `Job ${mark}`,
      materials: [
        { material_uuid: MATERIAL, quantity: 2, unit_cost: 5 },
        { material_uuid: MATERIAL, quantity: 3, unit_cost: 7 },
      ],
    }),
  ],
  ['create_task', (mark) => ({ title: `Task ${mark}`, description: '' })],
  ['send_staff_message', (mark) => ({ toStaffUuid: STAFF, message: `Staff ${mark}` })],
  ['post_activity_feed', (mark) => ({ message: `Note ${mark}` })],
  ['send_notification', (mark) => ({ notificationType: 'webhook', message: `Call ${mark}`, url: NOTIFIED })],
  [
    'generate_document',
    () => ({ objectType: 'Job', templateType: 'Quote', outputFormat: 'pdf', createAttachment: true }),
  ],
]

/** Two to five steps, with at least one message to a customer. */
export function anyRule(chance: Chance, name: string): RuleDefinition {
  const count = chance.whole(2, 5)
  const steps: Step[] = []
  for (let index = 0; index < count; index++) {
    const [type, parameters] =
      index === count - 1 ? (KINDS[chance.whole(0, 2)] ?? chance.pick(KINDS)) : chance.pick(KINDS)
    const id = `s${index + 1}`
    steps.push(aStep(id, type, parameters(`[${name} ${id}]`), index > 0 && chance.hit(0.4)))
  }
  const document = steps.findIndex((step) => step.type === 'generate_document')
  const mail = steps.find((step, index) => step.type === 'send_email' && index > document && document >= 0)
  if (mail) Object.assign(mail.parameters, { includeGeneratedDocument: true, documentActionIndex: document + 1 })
  return aRule(steps)
}
