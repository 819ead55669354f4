package import AudioTypes
package import Mixers
package import Outputs

extension Player {
    /// A player that has an open output for itself; the player closes it.
    package init(output: any AudioOutput, configuration: PlayerConfiguration = PlayerConfiguration()) {
        self.init(output: Mixer(output).makeChannel(), configuration: configuration)
    }

    /// A player for speech over a mixer's programme, or alone; closing it removes its channel.
    ///
    /// Its volume is relative to the mixer output's, and never above that.
    ///
    /// - Parameter ceiling: The highest volume it can be set to.
    package init(
        voiceOn mixer: Mixer,
        ceiling: Volume = .full,
        configuration: PlayerConfiguration = PlayerConfiguration()
    ) {
        self.init(output: mixer.makeChannel(.voice, ceiling: ceiling), configuration: configuration)
    }
}
