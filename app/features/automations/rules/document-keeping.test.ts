import { describe, expect, it } from 'vitest'
import type { ActionParameters, RuleDefinition, Step } from '#app/domain/automations/rule.ts'
import { DEFAULT_GUARDS } from '#app/domain/automations/rule.ts'
import { checkRule } from './checks/rule-check.ts'
import { givenBy, keptForLater } from './document-keeping.ts'

const step = (id: string, type: Step['type'], parameters: ActionParameters): Step => ({
  id,
  type,
  parameters,
  waitForPrevious: false,
})
const rule = (...steps: Step[]): RuleDefinition => ({
  description: '',
  trigger: { source: 'manual_endpoint' },
  conditions: [],
  grouping: { enabled: false, field: null },
  digest: false,
  steps,
  once: 'change',
  guards: DEFAULT_GUARDS,
})
const MAIL = { to: 'a@b.example', customSubject: 'S', customBody: 'T', includeGeneratedDocument: true }
const NOT_KEPT = 'Action 1 does not keep its document. Tick “Keep as an attachment of the job” there.'

it('the result of an earlier action is refused where that runs later, and its other names are fine', () => {
  const made = step('s1', 'create_job', { company_uuid: '{company_uuid}', status: 'Quote' })
  const reads = step('s2', 'create_task', { title: 'Job {action 1 result.number}, {action_1_result.job_uuid}' })
  expect(checkRule(rule(made, reads))).toEqual([])
  const [issue, ...others] = checkRule(rule(step('s1', 'create_task', { title: '{action 2 result.number}' }), made))
  expect(issue?.message).toBe('Action 2 runs later than this one. Move it up.')
  expect(others).toEqual([])
})

describe('a document that is not kept', () => {
  it.each<[ActionParameters, Step]>([
    [{}, step('s2', 'send_email', MAIL)],
    [{}, step('s2', 'send_email', { ...MAIL, documentActionIndex: 1 })],
    [{ storeToDiary: false }, step('s2', 'create_task', { title: 'See {action_1_result.document_url}' })],
    [{ storeToDiary: false }, step('s2', 'create_task', { title: 'See {action 1 result.document url}' })],
  ])('%j: a later step that needs it says so when saved', (parameters, later) => {
    const made = step('s1', 'generate_document', parameters)
    expect(checkRule(rule(made, later)).map(({ message }) => message)).toEqual([NOT_KEPT])
    for (const kept of ['createAttachment', 'storeToDiary']) {
      expect(checkRule(rule(step('s1', 'generate_document', { [kept]: true }), later))).toEqual([])
    }
    expect(checkRule(rule(made))).toEqual([])
  })

  it('gives nothing to later steps', () => {
    expect(givenBy(step('s1', 'generate_document', {}))).toEqual([])
    expect(givenBy(step('s1', 'generate_document', { storeToDiary: true }))).toEqual(['document_uuid', 'document_url'])
  })

  it('is a file of ours all the same where a step of an older rule needs it', () => {
    const made = step('s1', 'generate_document', { storeToDiary: true })
    const kept = { ...made.parameters, createAttachment: true }
    const planned = (later: Step) => keptForLater(made, [made, later]).parameters
    expect(planned(step('s2', 'send_email', MAIL))).toEqual(kept)
    expect(planned(step('s2', 'create_task', { title: '{step.s1.document_url}' }))).toEqual(kept)
    expect(planned(step('s2', 'send_email', { ...MAIL, documentActionIndex: 3 }))).toEqual(made.parameters)
    expect(planned(step('s2', 'create_task', { title: 'Ring' }))).toEqual(made.parameters)
  })
})
