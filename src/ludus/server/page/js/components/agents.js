// Who plays for the AI, in words. An agent that the page has no text for goes by its own name and description.

import { has, t } from "../i18n.js";

export const agentName = (agent) => (has(`common.agent.${agent}`) ? t(`common.agent.${agent}`) : agent);
export const agentMeaning = (agent, described) => (has(`lobby.agent.${agent}`) ? t(`lobby.agent.${agent}`) : described[agent]);
export const withLevel = (agent, level, between = ", ") =>
  [agentName(agent), level && t("common.level", { level })].filter(Boolean).join(between);
