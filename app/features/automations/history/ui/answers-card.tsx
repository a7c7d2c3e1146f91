// What customers answered and nobody has decided about, and what cannot be read.

import { MessageCircle, Play, Square } from 'lucide-react'
import { Card } from '#app/ui/card.tsx'
import { PostButton } from '#app/ui/form/post-button.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { ReconnectLink } from '#app/ui/reconnect-notice.tsx'
import { Time } from '#app/ui/time/time.tsx'
import type { AnswerView, ListeningNote } from '../../listening/answers.ts'

export function AnswersCard({ answers }: { answers: readonly AnswerView[] }) {
  if (answers.length === 0) return null
  return (
    <Card className="grid gap-3 p-4">
      <div>
        <h2 id="answers-title" className="font-semibold text-title">
          Customers answered
        </h2>
        <p className="text-label text-ink-soft">Automatic messages to them wait for you.</p>
      </div>
      <ul aria-labelledby="answers-title" className="grid gap-4">
        {answers.map((answer) => (
          <li key={answer.id} className="grid gap-2 border-line border-t pt-3 first:border-t-0 first:pt-0">
            <OneAnswer answer={answer} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function OneAnswer({ answer }: { answer: AnswerView }) {
  const { id, customer, job, channel, words, writtenAt } = answer
  const about = customer === '' ? job : `${job} · ${customer}`
  return (
    <>
      <p className="wrap-anywhere flex flex-wrap items-center gap-x-2 text-label">
        <MessageCircle aria-hidden className="size-4 shrink-0 text-ink-soft" />
        <span className="font-semibold">{about}</span>
        <span className="text-ink-soft">
          {channel === 'sms' ? 'by text' : 'by e-mail'}, <Time at={writtenAt} />
        </span>
      </p>
      <blockquote className="wrap-anywhere max-w-xl justify-self-start whitespace-pre-wrap rounded-card rounded-tr-none bg-sunken px-3.5 py-2.5 text-label">
        {words}
      </blockquote>
      <div className="flex flex-wrap gap-2">
        <PostButton
          wraps
          values={{ act: 'answer_go_on', answer: String(id) }}
          icon={Play}
          aria-label={`Go on: ${about}`}
        >
          Go on
        </PostButton>
        <PostButton
          wraps
          values={{ act: 'answer_stop', answer: String(id) }}
          icon={Square}
          aria-label={`Stop: ${about}`}
        >
          Stop
        </PostButton>
      </div>
    </>
  )
}

export function ListeningLine({ note, accountUUID }: { note: ListeningNote; accountUUID: string }) {
  switch (note) {
    case null:
      return null
    case 'refused':
      return (
        <div className="flex flex-wrap items-center gap-x-2 text-label text-ink-soft">
          <p>Reconnect to see receipts and answers.</p>
          <ReconnectLink accountUUID={accountUUID} />
        </div>
      )
    case 'no_answers':
      return (
        <Notice tone="accent" title="Answers cannot be read here">
          <p className="mb-2">ServiceM8 has shown us no customer answer yet. Ask customers to ring you.</p>
          <PostButton wraps values={{ act: 'listening_read' }}>
            Got it
          </PostButton>
        </Notice>
      )
  }
}
