// Defaults for plans, from the settings of the account and the installation.
import type { App } from '#app/context/app-context.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { findNotifyUrl, refusedAddresses } from '../actions/notification-address.server.ts'
import { loadSettings } from '../settings/automation-settings.server.ts'
import type { PlanDefaults } from './run-step.server.ts'

export function planDefaults(
  app: Pick<App, 'store' | 'settings' | 'outbound'>,
): (accountUuid: string, definition: RuleDefinition) => Promise<PlanDefaults> {
  return async (accountUuid, definition) => ({
    senderStaffUuid: (await loadSettings(app, accountUuid)).senderStaffUuid,
    notifyUrl: await findNotifyUrl(app, accountUuid, definition),
    refusedAddresses: await refusedAddresses(app, definition),
    feed: (app.settings.feedPath ?? '') !== '',
  })
}
