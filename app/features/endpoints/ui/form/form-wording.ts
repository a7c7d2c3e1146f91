import type { EndpointKey, EndpointKind } from '#app/domain/endpoint-key.ts'
import type { ManagerIntent } from '../../form-result.ts'

export type Part = 'name' | 'object' | 'url' | 'fields'

/** The texts of a kind's forms, and their fields in order. */
interface Wording {
  create: {
    intent: ManagerIntent
    id: string
    parts: readonly Part[]
    refused: string
    button: string
    sending: string
  }
  edit: { parts: readonly Part[] }
  url: { label: string; hint: string }
  object: { label: string; choose: string; custom: string; customName: string }
  fields: { create: string; edit: string }
}

export const FORMS: Record<EndpointKind, Wording> = {
  webhook: {
    create: {
      intent: 'create',
      id: 'create-webhook',
      parts: ['url', 'object', 'fields'],
      refused: 'The webhook was not created',
      button: 'Create Webhook',
      sending: 'Creating…',
    },
    edit: { parts: ['fields', 'url'] },
    url: { label: 'Callback URL', hint: 'Where we send events. No address? Leave empty to watch them here.' },
    object: {
      label: 'Object type',
      choose: 'Choose what to watch',
      custom: 'Use custom object type',
      customName: 'Custom object type',
    },
    fields: { create: 'Fields', edit: 'Monitored fields' },
  },
  extra: {
    create: {
      intent: 'create_rule',
      id: 'add-rule',
      parts: ['name', 'object', 'url', 'fields'],
      refused: 'The address was not added',
      button: 'Add address',
      sending: 'Adding…',
    },
    edit: { parts: ['name', 'url', 'fields'] },
    url: { label: 'Forward to', hint: 'The address that gets these events too.' },
    object: {
      label: 'Object',
      choose: 'Choose whose events to send',
      custom: 'Another object, by name',
      customName: 'Name of the object',
    },
    fields: { create: 'Field filter', edit: 'Field filter' },
  },
}

export const editId = (id: EndpointKey) => `edit-${id}`
