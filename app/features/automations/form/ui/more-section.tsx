import { Link, useSearchParams } from '@remix-run/react'
import { settingsAddress } from '#app/domain/automations/automation-address.ts'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { isShown } from '../form-shown.ts'
import { useRuleForm } from './form-context.tsx'
import { BoxControl, TextControl } from './form-controls.tsx'

/** Options that most rules do not need: limits, and protection for customers. */
export function MoreSection() {
  const { state, errors } = useRuleForm()
  const written = (
    ['atOnce', 'cooldownDays', 'dailyCap', 'respectQuietHours', 'askFirst', 'recheckBeforeSending'] as const
  ).some((name) => state.values[name] !== '')
  const wrong = Object.keys(errors).some((field) => /^(guards|settleMinutes)/.test(field))
  return (
    <div className="border-t border-line pt-2">
      <Disclosure summary="More: how many, and what protects your customers" open={wrong || written}>
        <div className="grid gap-4 pt-2">
          <div className="grid items-start gap-4 sm:grid-cols-2">
            {isShown(state, 'settleMinutes') ? (
              <TextControl
                name="settleMinutes"
                label="Wait first, in minutes"
                type="number"
                min={0}
                max={1440}
                hint="Changes that come in a row count as one. Empty = at once."
              />
            ) : null}
            <TextControl
              name="cooldownDays"
              path="guards.cooldownDays"
              label="Days before the same customer hears from it again"
              type="number"
              min={0}
              hint="Empty = no limit."
            />
            <TextControl
              name="dailyCap"
              path="guards.dailyCap"
              label="Most customer messages a day"
              type="number"
              min={1}
              hint="Empty = as your account has it."
            />
          </div>
          <div className="grid">
            {isShown(state, 'atOnce') ? (
              <BoxControl name="atOnce" hint="Works when every rule for the same object has it.">
                Skip the short wait for more changes
              </BoxControl>
            ) : null}
            {isShown(state, 'workingDays') ? <BoxControl name="workingDays">Monday to Friday only</BoxControl> : null}
            {isShown(state, 'digest') ? (
              <BoxControl name="digest" hint="One message with {count} and {job_list} instead of one for each.">
                One run over everything that matches
              </BoxControl>
            ) : null}
            <BoxControl name="respectQuietHours" hint={<QuietHint />}>
              Respect quiet hours
            </BoxControl>
            <BoxControl name="recheckBeforeSending" hint="Whoever does not match any more gets no message.">
              Check the conditions again just before sending
            </BoxControl>
            <BoxControl name="askFirst" hint="Every run waits until you say yes.">
              Ask me first
            </BoxControl>
          </div>
        </div>
      </Disclosure>
    </div>
  )
}

/** The account's quiet hours, with a link to them. */
function QuietHint() {
  const { quiet } = useRuleForm()
  const [query] = useSearchParams()
  if (!quiet) return <>Messages to customers wait until your quiet hours are over.</>
  const account = { accountUUID: query.get('accountUUID') ?? '', admin: query.get('admin') === 'yes' }
  return (
    <>
      {quiet.words} {/* Opens in a new tab, so the form keeps its input. */}
      <Link
        to={settingsAddress(account)}
        target="_blank"
        rel="noopener"
        className="text-accent underline underline-offset-4"
      >
        {quiet.link}
        <VisuallyHidden>(opens in a new tab)</VisuallyHidden>
      </Link>
    </>
  )
}
