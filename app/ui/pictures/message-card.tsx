import { Mail, MessageSquareText } from 'lucide-react'
import type { MessageView } from '#app/domain/automations/message-view.ts'

/** Nobody reads more of a message on a page. Characters. */
const MOST_SHOWN = 1_200

interface MessageCardProps {
  message: MessageView
  /** Channel, receiver and cost; null = the place says it. */
  says: string | null
  /** Dashed until it is sent. */
  sent: boolean
}

/** A message as its receiver sees it: a bubble for a text, a letter for an e-mail. */
export function MessageCard({ message, says, sent }: MessageCardProps) {
  const { channel, subject, text } = message
  const edge = sent ? 'border-line-strong/40' : 'border-line-strong border-dashed'
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
  const Icon = channel === 'sms' ? MessageSquareText : Mail
  return (
    <figure className="grid max-w-xl justify-items-start gap-1">
      {says === null ? null : (
        <figcaption className="wrap-anywhere flex items-center gap-1.5 text-label">
          <Icon aria-hidden className="size-3.5 shrink-0" />
          {says}
        </figcaption>
      )}
      <blockquote
        className={`wrap-anywhere max-w-full border px-3.5 py-2.5 text-label ${edge} ${
          channel === 'sms' ? 'rounded-card rounded-tl-none bg-accent-soft' : 'w-full rounded-control bg-sunken'
        }`}
      >
        {subject === '' ? null : <p className="mb-2 border-line border-b pb-2 font-semibold">{subject}</p>}
        <p className="whitespace-pre-wrap">{shown}</p>
      </blockquote>
    </figure>
  )
}
