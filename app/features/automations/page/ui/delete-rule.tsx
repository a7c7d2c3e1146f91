import { Trash2, Undo2 } from 'lucide-react'
import {
  type AutomationAccount,
  automationAddress,
  automationQuery,
  ruleAnchor,
} from '#app/domain/automations/automation-address.ts'
import { UNDO_SHOWN } from '#app/lib/undo.ts'
import { QuestionOnPage, useAskFirst } from '#app/ui/ask-first.tsx'
import { ButtonLink } from '#app/ui/button.tsx'
import { useIsSending } from '#app/ui/form/sent-values.tsx'
import { UndoLine } from '#app/ui/undo-line.tsx'
import { WayButton } from '../../form/ui/way-button.tsx'
import type { RuleCardView } from '../../rules/rule-view.ts'
import { RuleButton } from './rule-button.tsx'

interface DeleteRuleProps {
  rule: RuleCardView
  account: AutomationAccount
}

const DELETE_TITLE = 'Delete Automation'

/** The delete button and its question: in a dialog, or on the page where no dialog is available. */
export function DeleteRule({ rule, account }: DeleteRuleProps) {
  const sending = useIsSending({ act: 'delete', id: String(rule.id) })
  const step = { step: 'delete', ruleId: rule.id } as const
  const { button, ask } = useAskFirst(`${automationAddress(account, step)}#${ruleAnchor(rule.id)}`, sending)
  return (
    <>
      <WayButton
        {...button}
        query={automationQuery(account, step)}
        anchor={ruleAnchor(rule.id)}
        variant="danger-quiet"
        icon={Trash2}
        aria-label={`Delete ${rule.name}`}
      >
        Delete
      </WayButton>
      {ask({
        title: DELETE_TITLE,
        cancelLabel: 'Cancel',
        action: <ConfirmDelete rule={rule} account={account} />,
        children: <Consequences rule={rule} />,
      })}
    </>
  )
}

/** The same question as part of the page. */
export function DeleteRuleQuestion({ rule, account }: DeleteRuleProps) {
  const answers = (
    <>
      <ButtonLink to={`${automationAddress(account)}#${ruleAnchor(rule.id)}`} preventScrollReset>
        Cancel
      </ButtonLink>
      <ConfirmDelete rule={rule} account={account} />
    </>
  )
  return (
    <QuestionOnPage id={`delete-${rule.id}-title`} title={DELETE_TITLE} answers={answers}>
      <Consequences rule={rule} />
    </QuestionOnPage>
  )
}

function Consequences({ rule }: { rule: RuleCardView }) {
  return (
    <>
      <p>Delete “{rule.name}”? Waiting runs are cancelled.</p>
      <p>{rule.triggerUrl === null ? '' : 'Its address stops working. '}You can undo it for 10 seconds.</p>
    </>
  )
}

function ConfirmDelete({ rule, account }: DeleteRuleProps) {
  return (
    <RuleButton act="delete" ruleId={rule.id} account={account} variant="danger" pendingLabel="Deleting…">
      Delete
    </RuleButton>
  )
}

interface UndoDeleteProps {
  deleted: { id: number; name: string }
  account: AutomationAccount
}

/** Offers to bring a deleted rule back. */
export function UndoDelete({ deleted: { id, name }, account }: UndoDeleteProps) {
  return (
    <UndoLine
      id={String(id)}
      shownFor={UNDO_SHOWN}
      button={
        <RuleButton act="undo" ruleId={id} account={account} icon={Undo2} aria-label={`Undo: delete ${name}`}>
          Undo
        </RuleButton>
      }
    >
      “{name}” was deleted.
    </UndoLine>
  )
}
