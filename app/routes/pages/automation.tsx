import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type SerializeFrom } from '@remix-run/node'
import { useActionData, useLoaderData } from '@remix-run/react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Gate } from '#app/features/accounts/ui/gate.tsx'
import { hasWork } from '#app/features/automations/form/ui/kept-work.tsx'
import { RuleFormPanel } from '#app/features/automations/form/ui/rule-form.tsx'
import { AUTHENTICATE_TO_MANAGE } from '#app/features/automations/page/page-text.ts'
import { AutomationPage, TAB_LABELS } from '#app/features/automations/page/ui/automation-page.tsx'
import { findPlanNotice } from '#app/features/billing/plan.server.ts'
import { PlanNoticeLine } from '#app/features/billing/ui/plan-notice-line.tsx'
import { formPageHeaders } from '#app/http/page-caching.ts'
import { KeptNote } from '#app/ui/page/kept-note.tsx'
import { useAnswerToast } from '#app/ui/toast/toast.tsx'
import { titled } from '../own-page.tsx'
import { actOnAutomationPage } from './automation-acts.server.ts'
import { loadTabs } from './automation-data.server.ts'
import { openManager } from './manager-account.server.ts'
import { gateFor } from './own-account.server.ts'

const loadLibrary = async () => ({
  default: (await import('#app/features/templates/ui/template-library.tsx')).TemplateLibrary,
})
const loadRecipeCards = async () => ({
  default: (await import('#app/features/templates/ui/recipe-cards.tsx')).RecipeCards,
})
const loadExplorer = async () => ({ default: (await import('#app/features/lookups/ui/api-explorer.tsx')).ApiExplorer })

// The server has them loaded and renders them directly; a browser loads what it shows, so the first tab stays small.
const TemplateLibrary = import.meta.env.SSR ? (await loadLibrary()).default : lazy(loadLibrary)
const RecipeCards = import.meta.env.SSR ? (await loadRecipeCards()).default : lazy(loadRecipeCards)
const ApiExplorer = import.meta.env.SSR ? (await loadExplorer()).default : lazy(loadExplorer)

export const meta = titled((page?: SerializeFrom<typeof loader>) => {
  if (page?.view !== 'page') return 'Automations'
  if (page.tab !== 'rules') return TAB_LABELS[page.tab]
  return page.step.step === 'edit' ? 'Edit Automation' : 'Automations'
})

export const headers = formPageHeaders

/** `/automation?accountUUID=&admin=yes&tab=` and the open parts; see `automation-address.ts`. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { found, greeting, headers } = await openManager({ request, context })
  if (found.outcome !== 'ready') return data({ ...gateFor(found, request), greeting })
  const planNotice = await findPlanNotice(context.app, found.account.uuid, found)
  return data({ view: 'page' as const, planNotice, ...(await loadTabs({ request, context }, found)) }, { headers })
}

export async function action({ request, context }: ActionFunctionArgs) {
  return data(await actOnAutomationPage({ request, context }))
}

export default function Automation() {
  const page = useLoaderData<typeof loader>()
  const answered = useActionData<typeof action>()
  useAnswerToast(answered?.toast)
  if (page.view === 'gate') {
    return (
      <Gate
        {...page}
        problem={AUTHENTICATE_TO_MANAGE}
        kept={<KeptNote accountUUID={page.accountUUID} isKept={hasWork} />}
      />
    )
  }
  return (
    <>
      <PlanNoticeLine notice={page.planNotice} accountUUID={page.accountUUID} admin={page.admin} />
      <Page page={page} answered={answered} />
    </>
  )
}

interface PageProps {
  page: Extract<SerializeFrom<typeof loader>, { view: 'page' }>
  answered: SerializeFrom<typeof action> | undefined
}

function Page({ page, answered }: PageProps) {
  const { form: opened, library, recipes, explorer, draft, typed, person, planNotice: _above, ...rest } = page
  const form = useHeldForm(opened, answered?.form ?? null)
  return (
    <AutomationPage
      {...rest}
      result={answered?.result ?? null}
      draft={answered?.draft ?? draft}
      typed={answered?.form?.view.state.beside ?? typed}
      starters={
        <Suspense fallback={null}>
          <RecipeCards recipes={recipes} account={{ accountUUID: page.accountUUID, admin: page.admin }} withLibrary />
        </Suspense>
      }
      form={(beside) =>
        form ? (
          <RuleFormPanel
            accountUUID={page.accountUUID}
            person={person}
            opened={form.key}
            form={form.view}
            lists={form.lists}
            beside={beside}
          />
        ) : (
          beside
        )
      }
    >
      <Suspense fallback={null}>
        {library ? <TemplateLibrary {...library} admin={page.admin} accountId={page.accountUUID} /> : null}
        {explorer ? <ApiExplorer {...explorer} admin={page.admin} accountId={page.accountUUID} /> : null}
      </Suspense>
    </AutomationPage>
  )
}

/** Keeps the server's last answer in the form, also after a click on a card's button, until another rule is opened. */
function useHeldForm(opened: OpenForm, answered: OpenForm): OpenForm {
  const [held, setHeld] = useState<{ instead: string; form: OpenForm } | null>(null)
  const instead = opened?.key ?? ''
  useEffect(() => {
    if (answered) setHeld({ instead, form: answered })
  }, [answered, instead])
  return answered ?? (held?.instead === instead ? held.form : opened)
}

type OpenForm = PageProps['page']['form']
