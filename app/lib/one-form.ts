// Names in what a page sends whose controls all belong to one form (`app/ui/form/one-form.tsx`).

/** What a button sends: its own values as a query; empty = those of the form it stands in. */
export const PRESS = 'press'
/** In a press or a form: the anchor of another state of the page, whose query the other values are. */
export const GO = 'go'
/** What the controls of a form held when it was drawn, as a query. */
export const WAS = 'was'
