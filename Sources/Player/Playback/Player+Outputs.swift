package import AudioTypes
package import Mixers

extension Player {
    /// A player for something said over what a mixer plays, or alone; closing it takes it out of the mix.
    ///
    /// Its volume is relative to the mixer's output and never above that.
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
