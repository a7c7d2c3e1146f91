// The well-known systems behind an address: what people call them, and what they get.
import { chatProgramOf, chatSentence } from '#app/features/events/chat/chat-message.ts'
import { withScheme } from '#app/lib/url.ts'
import { recogniseTool } from './automation-tools.ts'

export type ReceiverKind = 'Zapier' | 'Make' | 'n8n' | 'flow' | 'script' | 'chat'

export interface Receiver {
  name: string
  kind: ReceiverKind
}

/** Returns the system an address belongs to; null for an unknown one. */
export function receiverOf(address: string): Receiver | null {
  const chat = chatProgramOf(address)
  if (chat !== null && chat.format !== 'power_automate') return { name: chat.name, kind: 'chat' }
  const tool = recogniseTool(address)
  return tool && { name: tool.name, kind: KINDS[tool.name] ?? 'script' }
}

const KINDS: Partial<Record<string, ReceiverKind>> = {
  Zapier: 'Zapier',
  Make: 'Make',
  n8n: 'n8n',
  'Power Automate': 'flow',
}

/** What an address is, while it is typed; null when there is nothing to say. */
export function addressSentence(typed: string): string | null {
  const address = withScheme(typed.trim())
  const receiver = receiverOf(address)
  const what = chatSentence(address) ?? (receiver && `Events go to ${receiver.name}.`)
  const added = address === typed.trim() ? null : 'We add https://.'
  return [what, added].filter(Boolean).join(' ') || null
}
