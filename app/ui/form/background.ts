// A look in the background, such as a preview while somebody types. The root loads this with every page.

/** What a form sends with a look in the background. It changes nothing: the page is not loaded again. */
export const BACKGROUND = { name: 'live', value: 'yes' } as const

interface Acted {
  formData?: FormData
  actionStatus?: number
}

/** For each route of a page that looks in the background, as `shouldRevalidate`. After a refusal, nothing either. */
export function unlessBackground({ formData, actionStatus = 200 }: Acted): boolean {
  return actionStatus < 400 && formData?.get(BACKGROUND.name) !== BACKGROUND.value
}
