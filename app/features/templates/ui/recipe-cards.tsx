import { type AutomationAccount, automationAddress } from '#app/domain/automations/automation-address.ts'
import { ButtonLink } from '#app/ui/button.tsx'
import { cardStyles } from '#app/ui/card.tsx'
import { MessageCard } from '#app/ui/pictures/message-card.tsx'
import { LIBRARY_TEXTS } from '../template-text.ts'
import { type RecipeView, sheetAddress } from '../template-view.ts'
import { ChannelIcon } from './channel-icon.tsx'

interface RecipeCardsProps {
  recipes: readonly RecipeView[]
  account: AutomationAccount
  /** Adds a link to the whole library: for pages outside it. */
  withLibrary?: boolean
}

/** The templates most firms begin with, each with a picture of its message. */
export function RecipeCards({ recipes, account, withLibrary = false }: RecipeCardsProps) {
  if (recipes.length === 0) return null
  return (
    <section aria-labelledby="recipes-title" className="mb-6 grid gap-3">
      <div className="flex flex-wrap items-end justify-between gap-x-4">
        <div>
          <h2 id="recipes-title" className="font-semibold text-title">
            {LIBRARY_TEXTS.recipes}
          </h2>
          <p className="text-label text-ink-soft">{LIBRARY_TEXTS.lead}</p>
        </div>
        {withLibrary ? (
          <ButtonLink to={automationAddress(account, { step: 'none' }, 'templates')} variant="quiet" className="-mx-4">
            {LIBRARY_TEXTS.all}
          </ButtonLink>
        ) : null}
      </div>
      <ul aria-labelledby="recipes-title" className="grid items-stretch gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {recipes.map((recipe) => (
          <li key={recipe.id} className="min-w-0">
            <RecipeCard recipe={recipe} account={account} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function RecipeCard({ recipe, account }: { recipe: RecipeView; account: AutomationAccount }) {
  const { id, name, channel, line, picture } = recipe
  const titleId = `recipe-${id}-title`
  return (
    <article aria-labelledby={titleId} className={`${cardStyles} flex h-full flex-col gap-3 p-4`}>
      <div className="flex items-start gap-3">
        <ChannelIcon channel={channel} />
        <div className="min-w-0">
          <h3 id={titleId} className="wrap-anywhere font-semibold text-body">
            {name}
          </h3>
          <p className="wrap-anywhere text-label text-ink-soft">{line}</p>
        </div>
      </div>
      {picture === null ? null : <MessageCard message={picture} says={null} sent />}
      <div className="mt-auto">
        <ButtonLink to={sheetAddress(account, id)} aria-label={`${LIBRARY_TEXTS.use} ${name}`}>
          {LIBRARY_TEXTS.use}
        </ButtonLink>
      </div>
    </article>
  )
}
