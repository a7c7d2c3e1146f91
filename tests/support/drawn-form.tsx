// Renders the rule form as the server does, from the data of the page's own loader or action.
import { createRemixStub } from '@remix-run/testing'
import { renderToString } from 'react-dom/server'
import type { FormView } from '#app/features/automations/form/form-view.ts'
import { RuleFormPanel } from '#app/features/automations/form/ui/rule-form.tsx'
import type { FormLists } from '#app/features/automations/rules/form-lists.ts'
import { Announcer } from '#app/ui/announcer.tsx'
import { ToastProvider } from '#app/ui/toast/toast.tsx'

export function drawForm(accountUUID: string, view: FormView, lists: FormLists): string {
  const Stub = createRemixStub([
    {
      path: '/automation',
      Component: () => (
        <Announcer>
          <ToastProvider flash={null}>
            <RuleFormPanel accountUUID={accountUUID} form={view} lists={lists} />
          </ToastProvider>
        </Announcer>
      ),
    },
  ])
  return renderToString(<Stub initialEntries={[`/automation?accountUUID=${accountUUID}`]} />)
}
