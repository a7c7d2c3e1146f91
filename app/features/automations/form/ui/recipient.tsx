import { Fold, isWrongAt } from './block.tsx'
import { useRuleForm, useStep } from './form-context.tsx'
import { WordsControl } from './form-controls.tsx'

interface RecipientProps {
  hint: string
  placeholder?: string
}

/** Who a message goes to: in a line, because it is nearly always the job's contact. */
export function Recipient({ hint, placeholder }: RecipientProps) {
  const { errors, aids } = useRuleForm()
  const { step, index } = useStep()
  const { to = '' } = step.parameters
  const noted = Object.hasOwn(aids.hints, `${step.key}.to`)
  return (
    <Fold
      place={`${step.key}.to`}
      summary={`To ${receiverWords(to)}`}
      wrong={noted || isWrongAt(errors, [`actions.${index}.parameters.to`])}
    >
      <WordsControl name="p.to" label="To" hint={hint} {...(placeholder && { placeholder })} />
    </Fold>
  )
}

function receiverWords(to: string): string {
  const text = to.trim()
  if (text === '') return "the job's contact"
  if (/^\{entry\.0\.contact_\w+[^{}]*\}$/.test(text)) return "the job's contact"
  return /^\{[\w.]*staff\w*\}$/.test(text) ? 'the assigned staff member' : text
}
