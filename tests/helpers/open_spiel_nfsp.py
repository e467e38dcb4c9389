"""OpenSpiel's neural fictitious self-play on Leduc, by CPU time."""

import time


def open_spiel_exploitability(seconds, seed):
    """Exploitability in chips after seconds of CPU time, with the settings of its own example."""
    from open_spiel.python import policy, rl_environment
    from open_spiel.python.algorithms import exploitability
    from open_spiel.python.pytorch import nfsp

    env = rl_environment.Environment("leduc_poker", players=2)
    env.seed(seed)
    size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    agents = [
        nfsp.NFSP(
            seat, size, actions, [128], 2_000_000, 0.1, batch_size=128, rl_learning_rate=0.01, sl_learning_rate=0.01,
            min_buffer_size_to_learn=1000, learn_every=64, optimizer_str="sgd", seed=seed,
            replay_buffer_capacity=200_000, update_target_network_every=19_200, discount_factor=1.0,
            epsilon_decay_duration=20_000_000, epsilon_start=0.06, epsilon_end=0.001,
        )
        for seat in range(2)
    ]  # fmt: skip

    class Average(policy.Policy):
        def __init__(self):
            super().__init__(env.game, [0, 1])

        def action_probabilities(self, state, player_id=None):
            seat = state.current_player()
            seen = {"info_state": [None, None], "legal_actions": [None, None], "current_player": seat}
            seen["info_state"][seat] = state.information_state_tensor(seat)
            seen["legal_actions"][seat] = legal = state.legal_actions(seat)
            step = rl_environment.TimeStep(observations=seen, rewards=None, discounts=None, step_type=None)
            with agents[seat].temp_mode_as(nfsp.MODE.AVERAGE_POLICY):
                chances = agents[seat].step(step, is_evaluation=True).probs
            return {action: chances[action] for action in legal}

    start = time.process_time()
    while time.process_time() - start < seconds:
        for _ in range(50):
            step = env.reset()
            while not step.last():
                step = env.step([agents[step.observations["current_player"]].step(step).action])
            for agent in agents:
                agent.step(step)
    return exploitability.nash_conv(env.game, Average()) / 2
