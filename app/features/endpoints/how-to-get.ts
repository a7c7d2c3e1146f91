// How to get an address from a tool, in three steps. The words in quotes are those of the tool's own pages.

export interface HowToGet {
  name: 'Zapier' | 'Make' | 'n8n'
  steps: readonly {
    says: string
    /** The one control to look for. */
    shows: { kind: 'button' | 'address'; text: string }
  }[]
}

export const HOW_TO_GET: readonly HowToGet[] = [
  {
    name: 'Zapier',
    steps: [
      {
        says: 'Create a Zap. As trigger choose “Webhooks by Zapier”.',
        shows: { kind: 'button', text: 'Webhooks by Zapier' },
      },
      { says: 'Choose the event “Catch Hook” and continue.', shows: { kind: 'button', text: 'Catch Hook' } },
      {
        says: 'Copy the webhook URL and paste it here.',
        shows: { kind: 'address', text: 'hooks.zapier.com/hooks/catch/…' },
      },
    ],
  },
  {
    name: 'Make',
    steps: [
      { says: 'Create a scenario. Add the module “Webhooks”.', shows: { kind: 'button', text: 'Webhooks' } },
      { says: 'Choose “Custom webhook”, add one and save.', shows: { kind: 'button', text: 'Custom webhook' } },
      { says: 'Copy the address and paste it here.', shows: { kind: 'address', text: 'hook.eu1.make.com/…' } },
    ],
  },
  {
    name: 'n8n',
    steps: [
      { says: 'Create a workflow. Add the node “Webhook”.', shows: { kind: 'button', text: 'Webhook' } },
      { says: 'Set “HTTP Method” to POST, then activate the workflow.', shows: { kind: 'button', text: 'POST' } },
      {
        says: 'Copy the “Production URL” and paste it here.',
        shows: { kind: 'address', text: '….n8n.cloud/webhook/…' },
      },
    ],
  },
]
